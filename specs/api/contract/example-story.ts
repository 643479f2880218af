import { expect } from "chai";
import { signedHeaders } from "../../../actors/hooks/signatures.ts";
import {
  type DocumentedOperation,
  operationsOf,
  parametersOf,
  readOpenApi,
  responsesOf,
} from "../../../contract/openapi-document.ts";
import type { Peer } from "../../../contract/peers.ts";
import type { OperationId } from "../../support/api.ts";
import type { World } from "../../support/world.ts";
import { createClientCaller } from "./by-client.ts";

type Name = "ada" | "grace" | "alan";
/**
 * `instead`: other values than the example's; then the answer isn't compared, only its created values are known by `known`.
 * `query`: beyond the example. `next`: what has to happen before the next step.
 */
export type Step = {
  does: OperationId;
  as?: Name;
  /** With the personal token that was created. */
  byToken?: true;
  /** With the token of the overlay that was created. */
  byOverlay?: true;
  instead?: Record<string, unknown>;
  /** The body of an upload; the answer isn't compared. */
  bytes?: Buffer;
  /** Creates again what an earlier step has created. */
  anew?: true;
  known?: { example: string; in: (body: unknown) => unknown };
  query?: Record<string, string>;
  /** Produces the value of a later step's example: for example from a mail. */
  brings?: { example: string; made: () => Promise<string> };
  next?: () => Promise<unknown>;
};

/** The file with the examples' values. */
const WORLD = "contract/openapi/examples/world.yaml";

/** Values that a run creates: an example's value stands for the first one that the service returned, also in requests. */
const MADE = /(^|_)(id|uuid|ref|by)$/;
/** As above, but created again repeatedly. */
const MADE_ANEW = /(^token|^code|^prefix|_token|_key|ticket|_cursor|device_id|recovery_code)$/;
/** A run has other values than the example for these, of the same type. */
const DIFFERENT =
  /(timestamp|_count|connections|peak_viewers|unique_viewers|watch_time_minutes|position_seconds|source|ip|user_agent|lifetime_earned|epoch|seq|room_id|challenge|(server|manifest|publish|publish_done|update|media|base|checkout|otpauth|authorization)_url|application|email_verified|secret|qr_code|signs|x|kid|paths|info)$/;
/** A run has other times than the example, whatever their field's name, save for these, which only requests set. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const SET_TIME = /^(quiet_hours_(start|end)|starts_at)$/;

/** Uploaded ones have random names. */
const FILE = /\/files\/[0-9a-f]{64}\.webp$/;

const routes = new Map(
  operationsOf(readOpenApi()).map((entry): [string, DocumentedOperation] => [
    entry.operation.operationId,
    entry,
  ]),
);

const PERSONAL_TOKEN = tokenOf("createApiToken");
const OVERLAY_TOKEN = tokenOf("createOverlay");

/** The token in the example of what creates one. */
function tokenOf(operationId: OperationId): string {
  const [created] = responsesOf(readOpenApi(), routeOf(operationId).operation);
  return String(Object(Object.values(created?.[1].content ?? {})[0]?.example).token);
}

function routeOf(operationId: OperationId): DocumentedOperation {
  const route = routes.get(operationId);
  if (!route) throw new Error(`The document has no ${operationId}`);
  return route;
}

/** Fields whose values must never be logged. */
const SECRET = /(_token|_key|password|ticket|secret|stream_key)$/;
/** Others are names of errors, and digits. */
const SECRET_CODE = "createInvitation.code";

/**
 * Sends operations' example requests by the generated client, with the service's ids in place of the examples', and compares the
 * answers with the examples.
 */
export function createStoryRunner(world: World, secrets: Map<string, string> = new Map()) {
  const document = readOpenApi();
  const call = createClientCaller(world.baseUrl);
  const made = new Map<string, string>();
  const tokens = new Map<Name, string>();

  const real = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
      typeof part === "string" ? (made.get(part) ?? part) : part,
    );

  function same(example: unknown, answer: unknown, where: string, isAnew: boolean): void {
    // Each of `user_ids` is a `user_id`.
    const name = where.slice(where.lastIndexOf(".") + 1).replace(/s\[\d+\]$/, "");
    const place = `${where} (${WORLD})`;
    if (typeof example === "string" && typeof answer === "string" && MADE_ANEW.test(name)) {
      made.set(example, answer);
    } else if (typeof example === "string" && typeof answer === "string" && MADE.test(name)) {
      if (isAnew || !made.has(example)) made.set(example, answer);
      expect(answer, place).equal(made.get(example));
    } else if (Array.isArray(example) && Array.isArray(answer)) {
      expect(answer.length, place).equal(example.length);
      for (const [index, item] of example.entries()) same(item, answer[index], `${where}[${index}]`, isAnew);
    } else if (isFields(example) && isFields(answer)) {
      expect(Object.keys(answer), place).members(Object.keys(example));
      for (const [key, value] of Object.entries(example)) same(value, answer[key], `${where}.${key}`, isAnew);
    } else if (TIME.test(String(example)) && !SET_TIME.test(name)) {
      expect(answer, place).match(TIME);
    } else if (FILE.test(String(example))) {
      expect(answer, place).match(FILE);
    } else if (DIFFERENT.test(name) || (MADE.test(name) && typeof example === "number")) {
      expect(typeof answer, place).equal(typeof example);
    } else {
      expect(answer, `${place} of ${JSON.stringify(answer)}`).deep.equal(example);
    }
  }

  function noteSecrets(part: unknown, where: string): void {
    if (!isFields(part) && !Array.isArray(part)) return;
    for (const [name, value] of Object.entries(part)) {
      const isSecret = typeof value === "string" && value.length > 8;
      if (isSecret && (SECRET.test(name) || `${where}.${name}` === SECRET_CODE))
        secrets.set(value, `${where}.${name}`);
      // The id before it is public.
      else if (isSecret && name === "device_id" && value.includes("."))
        secrets.set(value.slice(value.indexOf(".") + 1), `${where}.${name}`);
      else noteSecrets(value, `${where}.${name}`);
    }
  }

  const signed = (peer: Peer | undefined, body: unknown) => {
    const [secret] = world.webhookSecrets[peer === "media" ? "media" : "billing"];
    return signedHeaders(secret, "example", JSON.stringify(body), world.clock.now());
  };

  return async function runStep({
    does,
    as,
    byToken,
    byOverlay,
    instead = {},
    known,
    anew,
    bytes,
    query = {},
    brings,
    next,
  }: Step): Promise<void> {
    const route = routeOf(does);
    const { operation } = route;
    const { peer } = operation["x-access"];
    const path = Object.fromEntries(
      parametersOf(document, operation)
        .filter((parameter) => parameter.in === "path")
        .map(({ name, example }) => [name, String(real(example))]),
    );
    const [media] = Object.values(operation.requestBody?.content ?? {});
    const body = media && { ...Object(real(media.example)), ...instead };
    const ofToken = byOverlay ? made.get(OVERLAY_TOKEN) : as && tokens.get(as);
    const token = byToken ? made.get(PERSONAL_TOKEN) : ofToken;
    const answer = await call(route, {
      token,
      path,
      query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(real(value))])),
      headers: {
        "X-Auth-Mode": "bearer",
        ...(peer ? { "x-system-key": world.systemKeys[peer] } : {}),
        ...(operation["x-access"].signed ? signed(peer, body) : {}),
      },
      ...(bytes ? { body: new Uint8Array(bytes) } : body ? { body } : {}),
    });
    for (const part of [body, answer.body]) noteSecrets(part, does);
    const [[status, response] = []] = responsesOf(document, operation);
    expect(answer.status, `${does}: ${JSON.stringify(answer.body)}`).equal(status);
    const shown = response?.content?.["application/json"];
    if (as && isFields(answer.body) && typeof answer.body.access_token === "string")
      tokens.set(as, answer.body.access_token);
    if (known) made.set(known.example, String(known.in(answer.body)));
    const example = shown?.examples?.["bearer mode"]?.value ?? shown?.example;
    const isCompared =
      shown && !bytes && Object.keys(instead).length === 0 && does !== "getOpenApi" && does !== "getAsyncApi";
    try {
      if (isCompared) same(example, answer.body, does, anew === true);
    } finally {
      // Also after a difference, or every later step would fail for want of this one.
      if (brings) made.set(brings.example, await brings.made());
      await next?.();
    }
  };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
