import {
  addTo,
  at,
  type Change,
  each,
  firstOf,
  operation,
  parameter,
  property,
  schema,
  takeFrom,
  without,
} from "./document-parts.ts";

const PLAYBACK = "/v1/streams/{stream_id}/playback";
const TOKENS = "/v1/tokens";

/** Each with the expected finding. */
export const BREAKING: [what: string, change: Change, finding: string][] = [
  [
    "a path that is gone",
    (d) => without(at(d, "paths"), PLAYBACK),
    "GET /v1/streams/{stream_id}/playback: is gone",
  ],
  ["a method that is gone", (d) => without(at(d, "paths", TOKENS), "post"), "POST /v1/tokens: is gone"],
  [
    "another name",
    (d) => Object.assign(operation(d, "get", PLAYBACK), { operationId: "play" }),
    "is called play, not getPlayback",
  ],
  [
    "a parameter that is gone",
    (d) => takeFrom(operation(d, "get", PLAYBACK).parameters, parameter(d, "get", PLAYBACK, "protocol")),
    "query.protocol is gone",
  ],
  [
    "a parameter that is needed",
    (d) => Object.assign(parameter(d, "get", PLAYBACK, "protocol"), { required: true }),
    "query.protocol is needed now",
  ],
  [
    "a new parameter that is needed",
    (d) =>
      addTo(operation(d, "get", PLAYBACK).parameters, {
        name: "edge",
        in: "query",
        required: true,
        schema: {},
      }),
    "query.edge is new, and needed",
  ],
  [
    "a value that a parameter takes no more",
    (d) => takeFrom(at(parameter(d, "get", PLAYBACK, "protocol"), "schema").enum, "ll-hls"),
    "query.protocol: has the value ll-hls no more",
  ],
  [
    "another default",
    (d) => Object.assign(at(parameter(d, "get", PLAYBACK, "protocol"), "schema"), { default: "ll-hls" }),
    'query.protocol: is "ll-hls" when it isn\'t given',
  ],
  [
    "a field of requests that is gone",
    (d) => without(at(schema(d, "NewAPIToken"), "properties"), "scopes"),
    "body: scopes: is gone",
  ],
  [
    "a field of requests that is needed",
    (d) => addTo(schema(d, "NewAPIToken").required, "scopes"),
    "body: scopes: is needed now",
  ],
  [
    "a new field that is needed",
    (d) => {
      Object.assign(at(schema(d, "NewAPIToken"), "properties"), { why: {} });
      addTo(schema(d, "NewAPIToken").required, "why");
    },
    "body: why: is needed now",
  ],
  [
    "a type that isn't taken any more",
    (d) => Object.assign(property(d, "NewAPIToken", "expires_at"), { type: "string" }),
    "body: expires_at: doesn't take null any more",
  ],
  [
    "a longer least",
    (d) => Object.assign(property(d, "NewAPIToken", "name"), { minLength: 2 }),
    "body: name: minLength is 2, not 1",
  ],
  [
    "a shorter most",
    (d) => Object.assign(property(d, "NewAPIToken", "name"), { maxLength: 99 }),
    "body: name: maxLength is 99, not 100",
  ],
  [
    "another pattern",
    (d) => Object.assign(property(d, "NewAPIToken", "name"), { pattern: "^a" }),
    "body: name: pattern is another one",
  ],
  [
    "a format of requests",
    (d) => Object.assign(property(d, "NewAPIToken", "name"), { format: "uri" }),
    "body: name: has the format uri",
  ],
  [
    "requests that are closed",
    (d) => Object.assign(schema(d, "MediaHookData"), { additionalProperties: false }),
    "takes no other fields any more",
  ],
  [
    "a field of answers that is gone",
    (d) => without(at(schema(d, "PlaybackSource"), "properties"), "expires_at"),
    "200: expires_at: is gone",
  ],
  [
    "a field of answers that may be absent",
    (d) => takeFrom(schema(d, "PlaybackSource").required, "expires_at"),
    "200: expires_at: may be absent now",
  ],
  [
    "a type that answers may have",
    (d) => Object.assign(property(d, "PlaybackSource", "manifest_url"), { type: ["string", "null"] }),
    "200: manifest_url: may be null now",
  ],
  [
    "a format that answers had",
    (d) => without(property(d, "PlaybackSource", "manifest_url"), "format"),
    "200: manifest_url: has the format of any text",
  ],
  [
    "a value that answers have no more",
    (d) => takeFrom(property(d, "StreamQuality", "status").enum, "failed"),
    "200: qualities: []: status: has the value failed no more",
  ],
  [
    "another success",
    (d) => {
      const answers = at(operation(d, "post", TOKENS), "responses");
      answers["200"] = answers["201"];
      without(answers, "201");
    },
    "201: isn't answered any more",
  ],
  [
    "an answer of another kind",
    (d) => {
      const content = at(operation(d, "get", PLAYBACK), "responses", "200", "content");
      content["text/plain"] = {};
      without(content, "application/json");
    },
    "200: isn't application/json any more",
  ],
  [
    "a header that is gone",
    (d) => without(at(operation(d, "get", PLAYBACK), "responses", "200", "headers"), "X-Request-Id"),
    "200: has no X-Request-Id",
  ],
  [
    "a sign-in that is needed",
    (d) => takeFrom(operation(d, "get", PLAYBACK).security, firstOf(operation(d, "get", PLAYBACK).security)),
    "isn't open to anybody any more",
  ],
  [
    "one more scope",
    (d) =>
      each(operation(d, "get", PLAYBACK).security, ({ personalToken }) => addTo(personalToken, "user:read")),
    "isn't open to personalToken with channel:read any more",
  ],
  [
    "a higher role",
    (d) =>
      Object.assign(at(operation(d, "put", "/v1/chat/{stream_id}/bans/{user_id}"), "x-access"), {
        channel: "owner",
      }),
    "is for the channel's owner now",
  ],
  [
    "a step-up",
    (d) => Object.assign(at(operation(d, "get", "/v1/users/me"), "x-access"), { step_up: true }),
    "asks for a step-up for everything",
  ],
  [
    "a smaller upload",
    (d) => Object.assign(operation(d, "put", "/v1/users/me/avatar"), { "x-body-bytes": 1 }),
    "takes 1 bytes at most",
  ],
];
