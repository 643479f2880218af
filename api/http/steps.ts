/** The steps of a request that serve.ts lists, each under its name. They throw what the request is refused with. */
import type { Caller } from "../../actors/accounts/tokens/caller.ts";
import { isUuid } from "../../base/ids.ts";
import { invalid } from "../../contract/errors.ts";
import type { Access } from "../../contract/openapi-document.ts";
import { readBody as readBodyOf, readUpload } from "./body.ts";
import { originOf } from "./context.ts";
import type { Exchange } from "./exchange.ts";
import { setRateLimitHeaders } from "./limits.ts";
import { requireDecodableQuery } from "./query.ts";
import type { Served } from "./served.ts";

/** Nothing is returned where nothing is waited for: so a step costs no promise. */
export type Step = (exchange: Exchange, served: Served) => Promise<void> | undefined;

/** Of one body, in a line of the log. */
const MAX_IDS = 5;

/** A read of a kept answer goes on without one. */
export const takeSlot: Step = ({ isShared, slot }) => (isShared ? undefined : (slot.take() ?? undefined));

/** Who is calling (x-access). A failure counts against the address, as everything that is refused before it is counted. */
export async function authenticate(exchange: Exchange, served: Served): Promise<void> {
  const { req, context, params, cookies, query } = exchange;
  const { system_key: key } = query;
  const credentials = {
    params,
    method: served.method,
    headers: req.headers,
    cookies,
    queryKey: typeof key === "string" ? key : null,
  };
  exchange.caller = await served.deps.authenticate(served.operation, credentials, (userId) => {
    context.userId = userId;
  });
  context.hasSystemKey = exchange.caller.kind === "system";
  context.isLimited = served.isLimited;
}

/** The rate limit of all that a caller does. */
export async function limitCaller({ req, res, context, caller }: Exchange, served: Served): Promise<void> {
  const { deps, operation, isLimited } = served;
  // A caller that signs acts for many, like one with the system key.
  const counted: Caller = operation["x-access"].signed === undefined ? caller : { kind: "system" };
  if (isLimited) setRateLimitHeaders(res, await deps.limits.byCaller(counted, context.address));
  requireDecodableQuery(req);
}

/** The body is waited for without a slot. */
export async function readBody(exchange: Exchange, served: Served): Promise<void> {
  const { req, slot, context, caller } = exchange;
  const { operation, deps } = served;
  const { requestBody: takes, "x-body-bytes": mostBytes, "x-access": access } = operation;
  if (!takes) return;
  slot.free();
  const readFrom = performance.now();
  const { signed, peer = null } = access;
  const deadlineMs = deps.bodyDeadlineMs;
  if (mostBytes === undefined) {
    const verify = (raw: Buffer) => signed && deps.signatures[signed](req.headers, raw, peer);
    const { raw, value } = await readBodyOf(req, takes, deadlineMs, verify);
    exchange.rawBody = raw;
    exchange.body = value;
  } else {
    exchange.rawBody = await readUpload(req, takes, { caller, mostBytes, deadlineMs });
    // Validation accepts any text in place of the bytes.
    exchange.body = "";
  }
  exchange.arrivedAt = context.startedAt + (performance.now() - readFrom);
  await slot.take();
}

/** Everything, by the document. */
export const validate: Step = ({ context, params, query, header, body }, { deps, operation }) => {
  const complaints = deps.validation.requestCheck(operation)({ path: params, query, header, body });
  if (complaints.length > 0) throw invalid(...complaints);
  context.params = { ...idsIn(body), ...params };
};

/** Whether the caller has recently proved to be the account's owner (x-access.step_up). */
export const requireStepUp: Step = ({ caller, body }, { operation, deps }) =>
  caller.kind === "user" && needsStepUp(operation["x-access"], body) ? deps.requireFresh(caller) : undefined;

/** The operation's own rate limit; of an upload, before it is received. */
export async function limitOperation(exchange: Exchange, served: Served): Promise<void> {
  const { req, res, context, caller, body } = exchange;
  const { ownBucket, isDownload, deps } = served;
  if (!ownBucket || (isDownload && req.method === "HEAD")) return;
  const allowance = await deps.limits.byOperation(
    ownBucket,
    caller,
    context.address,
    subjectOf(caller, body),
  );
  setRateLimitHeaders(res, allowance);
}

/**
 * Loads what the path names, checks the caller's role there (x-access.channel; resources.ts), and calls the handler, without a
 * slot where the operation waits (x-waits).
 */
export async function handle(exchange: Exchange, served: Served): Promise<void> {
  const { bound, slot } = exchange;
  const request = requestFor(exchange, served);
  const loaded = await bound.load?.(request);
  if (served.operation["x-waits"]) slot.free();
  exchange.answer = await bound.handle(loaded ? Object.assign(request, loaded) : request);
  await bound.answered?.(request, exchange.answer);
}

function requestFor(exchange: Exchange, { deps }: Served) {
  const { req, res, context, slot, caller, params, query, header, body, rawBody, cookies, arrivedAt } =
    exchange;
  const key = header["Idempotency-Key"];
  return {
    caller,
    params,
    query,
    body,
    rawBody,
    cookies,
    headers: req.headers,
    ip: context.address,
    idempotencyKey: typeof key === "string" ? key : null,
    requestId: context.requestId,
    arrivedAt,
    freeSlot: slot.free,
    get signal() {
      const gone = new AbortController();
      res.once("close", () => gone.abort());
      return gone.signal;
    },
    origin: originOf(context),
    count: async (also: Parameters<typeof deps.limits.byOperation>[0]) =>
      setRateLimitHeaders(
        res,
        await deps.limits.byOperation(also, caller, context.address, subjectOf(caller, body)),
      ),
  };
}

/**
 * What a body names, for the line of the log: its fields of ids, whose values are checked here, since others may be secrets. A device's
 * id isn't ours: it would identify a browser.
 */
function idsIn(body: unknown): Record<string, string> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return {};
  const ids = Object.entries(body).flatMap(([name, value]: [string, unknown]) =>
    name.endsWith("_id") && name !== "device_id" && typeof value === "string" && isUuid(value)
      ? [[name, value] as const]
      : [],
  );
  return Object.fromEntries(ids.slice(0, MAX_IDS));
}

/** By x-access.step_up: always, or only for some fields of the body. */
function needsStepUp({ step_up }: Access, body: unknown): boolean {
  if (!Array.isArray(step_up)) return step_up === true;
  return typeof body === "object" && body !== null && step_up.some((field) => field in body);
}

/**
 * The key that separates one viewer's streams and one address's devices; only the heartbeat's bucket needs it. For users
 * devices don't count.
 */
function subjectOf(caller: Caller, body: unknown): string {
  if (typeof body !== "object" || body === null || !("stream_id" in body)) return "";
  const device = caller.kind !== "user" && "device_id" in body ? String(body.device_id) : "";
  return `${String(body.stream_id)}:${device}`;
}
