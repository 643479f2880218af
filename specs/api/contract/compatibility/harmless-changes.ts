import {
  addTo,
  at,
  type Change,
  each,
  operation,
  property,
  schema,
  takeFrom,
  without,
} from "./document-parts.ts";

const PLAYBACK = "/v1/streams/{stream_id}/playback";

export const HARMLESS: [what: string, change: Change][] = [
  [
    "a new operation",
    (d) => Object.assign(at(d, "paths"), { "/v1/new": { get: operation(d, "get", PLAYBACK) } }),
  ],
  [
    "a parameter that may be left out",
    (d) => addTo(operation(d, "get", PLAYBACK).parameters, { name: "edge", in: "query", schema: {} }),
  ],
  [
    "a field that may be sent",
    (d) => Object.assign(at(schema(d, "NewAPIToken"), "properties"), { why: { type: "string" } }),
  ],
  [
    "one more type that is taken",
    (d) => Object.assign(property(d, "NewAPIToken", "name"), { type: ["string", "null"] }),
  ],
  [
    "wider limits of requests",
    (d) => Object.assign(property(d, "NewAPIToken", "name"), { minLength: 0, maxLength: 200 }),
  ],
  [
    "one more field of answers",
    (d) => {
      Object.assign(at(schema(d, "PlaybackSource"), "properties"), { edge: {} });
      addTo(schema(d, "PlaybackSource").required, "edge");
    },
  ],
  [
    "a credential that personal tokens don't get any more",
    (d) => {
      takeFrom(schema(d, "OwnerStream").required, "server_url");
      Object.assign(property(d, "OwnerStream", "server_url"), { "x-secret": true });
    },
  ],
  ["one more value of answers", (d) => addTo(property(d, "StreamQuality", "status").enum, "paused")],
  [
    "one more error",
    (d) => Object.assign(at(operation(d, "get", "/v1/users/me"), "responses"), { "409": {} }),
  ],
  [
    "one more code of an error",
    (d) => {
      const media = at(at(d, "components", "responses", "NotFound"), "content", "application/json");
      media.schema = { oneOf: [media.schema, { $ref: "#/components/schemas/InvalidStateError" }] };
    },
  ],
  ["a smaller circle of errors", (d) => without(at(operation(d, "get", PLAYBACK), "responses"), "404")],
  [
    "a lower role",
    (d) => without(at(operation(d, "put", "/v1/chat/{stream_id}/bans/{user_id}"), "x-access"), "channel"),
  ],
  [
    "a scope less",
    (d) =>
      each(operation(d, "get", PLAYBACK).security, (one) =>
        Object.assign(one, "personalToken" in one ? { personalToken: [] } : {}),
      ),
  ],
];
