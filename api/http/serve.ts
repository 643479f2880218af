/**
 * Serves one request to one operation, in this order:
 * 1. a slot (request-slots.ts; without one, a read of a cached answer goes on),
 * 2. who is calling (x-access),
 * 3. their rate limit,
 * 4. the body, which is waited for without a slot (the operation's own rate limit comes before a long one),
 * 5. validation of everything (ajv),
 * 6. whether the caller has recently proved to be the account's owner (x-access.step_up),
 * 7. the operation's own rate limit,
 * 8. what the path names, and the caller's role there (x-access.channel; resources.ts),
 * 9. the handler (without a slot: x-waits), or a cached answer of it (x-cache-seconds),
 * 10. the answer.
 * Cheap checks that may refuse come first, so that a refused request costs little.
 */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";
import type { Caller, SignedIn } from "../../actors/identity/caller.ts";
import { invalid, ServiceError } from "../../specs/contract/errors.ts";
import {
  type Access,
  type DocumentedOperation,
  type OpenApiDocument,
  parametersOf,
  responsesOf,
} from "../../specs/contract/openapi-document.ts";
import { isUuid } from "../../store/ids.ts";
import { type CachedRead, createAnonymousReads, hasCredential } from "./anonymous-reads.ts";
import type { Authenticate } from "./authenticate.ts";
import type { BoundHandler } from "./bind.ts";
import { type ReadBody, readBody, readUpload } from "./body.ts";
import { NO_SLOT, type Slot } from "./concurrency-limit.ts";
import { contextOf, originOf } from "./context.ts";
import type { RestRefusal } from "./error-response.ts";
import { undocumentedAnswer } from "./error-response.ts";
import { sendJson } from "./json.ts";
import { isOperationBucket, type Limits, setRateLimitHeaders } from "./limits.ts";
import { queryOf, requireDecodableQuery } from "./query.ts";
import { expiredRepeats } from "./repeated-cookies.ts";
import { isReply, type Reply, reply } from "./reply.ts";
import type { RequestSlots } from "./request-slots.ts";
import { isPlainHttp } from "./secure-cookies.ts";
import { readCookies, type SentCookies } from "./sent-cookies.ts";
import { cookieLine } from "./set-cookie.ts";
import type { Signatures } from "./signatures.ts";
import type { Validation } from "./validate.ts";
import { withoutSecrets } from "./withheld.ts";

type ServeDeps = {
  document: OpenApiDocument;
  validation: Validation;
  authenticate: Authenticate;
  /** Throws step_up_required. */
  requireFresh(caller: SignedIn): Promise<void>;
  limits: Limits;
  slots: RequestSlots;
  signatures: Signatures;
  handlerOf(operationId: string): BoundHandler | null;
  plainCookiesHere: boolean;
  /** COOKIE_DOMAIN. */
  cookieDomain: string | null;
  checkResponses: boolean;
  bodyDeadlineMs: number;
  /** Monotonic, ms. */
  now: () => number;
  onCachedRead: (read: CachedRead) => void;
  onRefused: (refused: RestRefusal) => void;
};

export type Serve = (req: Request, res: Response, params: Record<string, string>) => Promise<void>;

/** Of one body, in a line of the log. */
const MAX_IDS = 5;
const NO_BODY = { raw: Buffer.alloc(0), value: undefined };

export function serveOperation({ operation, method }: DocumentedOperation, deps: ServeDeps): Serve {
  const { operationId, "x-access": access, "x-cache-seconds": cacheSeconds } = operation;
  const bucket = operation["x-rate-limit"] ?? null;
  const isLimited = bucket !== "none";
  const ownBucket = bucket !== null && isLimited ? requireBucket(operationId, bucket) : null;
  const takesBody = operation.requestBody ?? null;
  const scheme = access.signed;
  const mostBytes = operation["x-body-bytes"];
  const parameters = parametersOf(deps.document, operation);
  const headerNames = parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
  const checkAnswer = deps.checkResponses ? deps.validation.responseCheck(operation) : null;
  const statuses = responsesOf(deps.document, operation).map(([status]) => status);
  const anonymous =
    cacheSeconds === undefined
      ? null
      : createAnonymousReads({
          operationId,
          seconds: cacheSeconds,
          parameters,
          now: deps.now,
          onRead: deps.onCachedRead,
        });
  const isDownload = responsesOf(deps.document, operation).some(
    ([, { headers }]) => headers?.["Content-Disposition"] !== undefined,
  );
  const withheld = operation["x-withheld"] ?? [];
  const announced = Object.entries(operation["x-announces"] ?? {});
  const firstSuccess = Math.min(...statuses.filter((status) => status < 300));

  /** A failed authentication counts against the address, as everything that is refused before it is counted. */
  function callerOf(
    req: Request,
    cookies: SentCookies,
    { params, queryKey }: { params: Record<string, string>; queryKey: unknown },
  ): Promise<Caller> {
    const credentials = {
      params,
      method: method.toUpperCase(),
      headers: req.headers,
      cookies,
      queryKey: typeof queryKey === "string" ? queryKey : null,
    };
    return deps.authenticate(operation, credentials, (userId) => {
      contextOf(req).userId = userId;
    });
  }

  async function read(req: Request, caller: Caller): Promise<ReadBody> {
    if (!takesBody) return NO_BODY;
    const deadlineMs = deps.bodyDeadlineMs;
    // Validation accepts any text in place of the bytes.
    if (mostBytes !== undefined)
      return { raw: await readUpload(req, takesBody, { caller, mostBytes, deadlineMs }), value: "" };
    const verify = (raw: Buffer) => scheme && deps.signatures[scheme](req.headers, raw, access.peer ?? null);
    return readBody(req, takesBody, deadlineMs, verify);
  }

  /** Returns the body; only specs check it. */
  function documented(status: number, body: unknown): unknown {
    const undocumented = checkAnswer?.(status, asJson(body)) ?? [];
    if (undocumented.length > 0) throw undocumentedAnswer(body, undocumented);
    return body;
  }

  const isSecureHere = ({ headers }: Request) => !deps.plainCookiesHere || !isPlainHttp(headers);

  const limit = deps.slots.of(operation);

  const serve: Serve = async (req, res, params) => {
    const slot = limit?.slot(res) ?? NO_SLOT;
    try {
      await serveIn(slot, req, res, params);
    } finally {
      slot.free();
    }
  };

  async function serveIn(slot: Slot, ...[req, res, params]: Parameters<Serve>): Promise<void> {
    const context = contextOf(req);
    context.operationId = operationId;
    context.params = params;
    context.isHook = access.who === "system";
    context.isHealthCheck = operation["x-health-check"] ?? false;
    // A stranger's guesses at a key count, also where those who have it aren't limited.
    context.isLimited = isLimited || access.who !== "anonymous";
    context.checkAnswer = checkAnswer;
    const handler = deps.handlerOf(operationId);
    if (!handler) throw new Error(`${operationId} has no route`);
    const ip = context.address;
    const isSecure = isSecureHere(req);
    const cookies = readCookies(req.headers, { isSecure, isBound: deps.cookieDomain === null });
    const query = queryOf(req);

    // No cache on the way may store an answer unless the document says for how long: it may be meant for one caller, or
    // soon be out of date.
    res.setHeader("Cache-Control", "no-store");
    for (const [name, value] of announced) res.setHeader(name, value);
    anonymous?.vary(res);
    const isShared = anonymous !== null && !cookies.hasOwn && !hasCredential(req.headers);
    const waiting = isShared ? null : slot.take();
    if (waiting) await waiting;
    const caller = await callerOf(req, cookies, { params, queryKey: query.system_key });
    context.hasSystemKey = caller.kind === "system";
    context.isLimited = isLimited;
    // A caller that signs acts for many, like one with the system key.
    const counted: Caller = scheme === undefined ? caller : { kind: "system" };
    if (isLimited) setRateLimitHeaders(res, await deps.limits.byCaller(counted, ip));

    requireDecodableQuery(req);
    const countOwn = async (body: unknown) => {
      if (!ownBucket || (isDownload && req.method === "HEAD")) return;
      setRateLimitHeaders(res, await deps.limits.byOperation(ownBucket, caller, ip, subjectOf(caller, body)));
    };
    // An upload takes long to arrive, so it is counted before.
    if (mostBytes !== undefined) await countOwn(undefined);
    if (takesBody) slot.free();
    const readFrom = performance.now();
    const { raw, value: body } = await read(req, caller);
    // A message's second counts from the request's arrival, over all waits but the one for its body, which is its sender's.
    const arrivedAt = context.startedAt + (performance.now() - readFrom);
    const returning = takesBody ? slot.take() : null;
    if (returning) await returning;
    const parts = {
      path: params,
      query,
      header: documentedHeaders(req, headerNames),
      ...(body === undefined ? {} : { body }),
    };
    const complaints = deps.validation.requestCheck(operation)({ body: undefined, ...parts });
    if (complaints.length > 0) throw invalid(...complaints);
    context.params = { ...idsIn(body), ...params };
    if (caller.kind === "user" && needsStepUp(access, body)) await deps.requireFresh(caller);
    if (mostBytes === undefined) await countOwn(body);

    const key = parts.header["Idempotency-Key"];
    const handle = () =>
      handler({
        caller,
        params: parts.path,
        query,
        body,
        rawBody: raw,
        cookies,
        headers: req.headers,
        ip,
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
        count: async (also) =>
          setRateLimitHeaders(res, await deps.limits.byOperation(also, caller, ip, subjectOf(caller, body))),
      });
    if (isShared && caller.kind === "anonymous") {
      const cached = await anonymous.read(parts, () => inOwnSlot(handle));
      return anonymous.send(res, firstSuccess, cached);
    }
    const answer = await handle();
    const complete = isReply(answer) ? answer : reply({ body: answer });
    const full = { ...complete, body: withoutSecrets(withheld, caller, complete.body) };
    const status = full.status ?? firstSuccess;
    // Without details: those of a refusal with which a browser is redirected may contain tokens.
    if (full.refused) {
      context.refused = { code: full.refused };
      deps.onRefused({ operationId, code: full.refused });
    }
    // Its reader may be slow.
    slot.free();
    if (full.download) return sendDownload(req, res, status, { ...full, download: full.download });
    documented(status, full.body);
    send(res, status, full, isSecure);
  }

  /** Makes an answer that others may share, in a slot that doesn't depend on who asked first. */
  async function inOwnSlot(handle: () => Promise<unknown>): Promise<unknown> {
    const slot = limit?.slot(null) ?? NO_SLOT;
    await slot.take();
    try {
      return documented(firstSuccess, bodyOnly(await handle()));
    } finally {
      slot.free();
    }
  }

  const { cookieDomain } = deps;
  if (cookieDomain === null) return serve;
  return async (req, res, params) => {
    try {
      await serve(req, res, params);
    } catch (err) {
      if (err instanceof ServiceError && err.code === "invalid_token" && !res.headersSent)
        for (const cookie of expiredRepeats(req, cookieDomain))
          res.appendHeader("Set-Cookie", cookieLine(cookie, isSecureHere(req)));
      throw err;
    }
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

/** An answer that is cached for many callers has no status, header or cookie of its own. */
function bodyOnly(answer: unknown): unknown {
  if (isReply(answer)) throw new Error("An operation with x-cache-seconds answered with more than a body");
  return answer;
}

function requireBucket(operationId: string, bucket: string) {
  if (isOperationBucket(bucket)) return bucket;
  throw new Error(`${operationId}: there is no bucket ${bucket}`);
}

function documentedHeaders(req: Request, names: string[]): Record<string, unknown> {
  const headers: Record<string, unknown> = {};
  for (const name of names) {
    const value = req.headers[name.toLowerCase()];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
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

function asJson(body: unknown): unknown {
  return body === undefined ? undefined : JSON.parse(JSON.stringify(body));
}

function send(
  res: Response,
  status: number,
  { body, textType, headers, cookies }: Reply<unknown>,
  isSecure: boolean,
): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  for (const cookie of cookies) res.appendHeader("Set-Cookie", cookieLine(cookie, isSecure));
  res.statusCode = status;
  if (body === undefined) res.end();
  else if (textType !== null) res.setHeader("Content-Type", textType).end(body);
  else sendJson(res, status, body);
}

/** Sends with back-pressure. An error on the way is thrown, and cuts off the answer. For HEAD the download isn't started. */
async function sendDownload(
  { method }: Request,
  res: Response,
  status: number,
  { download, headers }: { download: AsyncIterable<string>; headers: Record<string, string> },
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.statusCode = status;
  res.setHeader("Content-Type", "application/json; charset=utf-8");
  if (method === "HEAD") return void res.end();
  try {
    await pipeline(Readable.from(download), res);
  } catch (err) {
    // The client has disconnected.
    if (err instanceof Error && "code" in err && err.code === "ERR_STREAM_PREMATURE_CLOSE") return;
    throw err;
  }
}
