import type { ErrorRequestHandler, Request, Response } from "express";
import { UnreadableSnapshot } from "../../actors/host/snapshot-codec.ts";
import type { Audit } from "../../base/audit.ts";
import { Overloaded } from "../../base/controlled-delay.ts";
import { MINUTE_MS } from "../../base/durations.ts";
import { asUnavailable } from "../../base/failures/unavailable.ts";
import { type ErrorCode, invalid, ServiceError, unavailable } from "../../contract/errors.ts";
import { exhaustedBy } from "../../contract/rate-limit-headers.ts";
import { contextOf, originOf, type RequestContext } from "./context.ts";
import { ERROR_PAGE_POLICY, errorPage, prefersPage } from "./error-page.ts";
import { sendJson } from "./json.ts";
import { hasRateLimitHeaders, type Limits, replaceAllowance, setRateLimitHeaders } from "./limits.ts";
import type { PageSite } from "./page-layout.ts";

/** A parked actor waits for other code, which takes an operator. */
const PARKED_RETRY_MS = MINUTE_MS;

/** A refusal, for metrics; `operationId` is null if no operation was found. */
export type RestRefusal = { operationId: string | null; code: ErrorCode };

type Deps = {
  audit: Audit;
  onRefused: (refused: RestRefusal) => void;
  /** What pages show of the instance. */
  site: PageSite;
};

/**
 * Counts refusals that nothing has counted yet (a wrong token, an unknown path or method) against the address, so that
 * guessing is limited; when that limit is used up, `rate_limited` is the answer instead.
 */
export function countRefusal(limits: Limits): ErrorRequestHandler {
  return async (err, req, res, next) => {
    const { address, isLimited } = contextOf(req);
    const isCounted = hasRateLimitHeaders(res) || isRefusalOfLimit(err) || err instanceof Overloaded;
    if (!isLimited || res.headersSent || isCounted) return next(err);
    try {
      setRateLimitHeaders(res, await limits.byAddress(address));
    } catch (refusal) {
      return next(refusal);
    }
    next(err);
  };
}

const isRefusalOfLimit = (err: unknown) => err instanceof ServiceError && exhaustedBy(err) !== null;

/**
 * The only catch-all of the REST side: an error becomes the envelope (docs/interface.md#7-errors), and outside operations a page for those who
 * prefer one.
 */
export function createAnswerError({ audit, onRefused, site }: Deps): ErrorRequestHandler {
  return (err, req, res, _next) => {
    const context = contextOf(req);
    const answered = answer(context, err, { req, res, site });
    context.refused = { code: answered.code, details: answered.details };
    onRefused({ operationId: context.operationId, code: answered.code });
    auditMachineRefusal(audit, context, answered.code);
  };
}

/**
 * Audits refusals of trusted machines, which concern an operator: a key that leaked or is out of date, a hook that fails.
 * Neither refusals by a rate limit nor errors before the key was checked are recorded: anybody could cause those lines,
 * without end.
 */
function auditMachineRefusal(audit: Audit, context: RequestContext, code: ErrorCode): void {
  const { isHook, hasSystemKey, operationId: operation } = context;
  if (!isHook || operation === null) return;
  const by = { userId: null, origin: originOf(context) };
  if (code === "system_key_required") audit("system_key.refused", by, { operation });
  else if (hasSystemKey && code !== "rate_limited") audit("hook.refused", by, { operation, reason: code });
}

function answer(
  { log, operationId, isHealthCheck, checkAnswer }: RequestContext,
  err: unknown,
  { req, res, site }: { req: Request; res: Response; site: PageSite },
): ServiceError {
  let answered = toServiceError(err);
  const undocumented = checkAnswer?.(answered.status, answered.envelope()) ?? [];
  if (undocumented.length > 0) {
    answered = undocumentedAnswer(answered.envelope(), undocumented, err);
  }
  if (answered.code === "internal")
    log.error({ err, undocumented, operation: operationId }, "a request failed unexpectedly");
  // The primary logged what a health check reports when it happened, and an overload is logged as a whole.
  if (answered.code === "unavailable" && !isHealthCheck && !(err instanceof Overloaded))
    log.warn({ err: answered, operation: operationId }, "a part that this needs is unavailable");
  if (res.headersSent) {
    // Half of the answer was sent: cutting the connection is the only signal left.
    res.destroy();
    return answered;
  }
  res.setHeader("Cache-Control", "no-store");
  // The rest of a refused body isn't read: the connection ends instead.
  if (answered.code === "payload_too_large" || req.isPaused()) res.setHeader("Connection", "close");
  setErrorHeaders(res, answered);
  if (operationId === null) res.vary("Accept");
  if (operationId === null && prefersPage(req)) {
    res.setHeader("Content-Security-Policy", ERROR_PAGE_POLICY);
    res.status(answered.status).type("html").send(errorPage(site, answered));
  } else sendJson(res, answered.status, answered.envelope());
  return answered;
}

function setErrorHeaders(res: Response, error: ServiceError): void {
  const waitMs = error.retryAfterMs;
  if (waitMs !== null) res.setHeader("Retry-After", String(Math.max(1, Math.ceil(waitMs / 1_000))));
  const exhausted = exhaustedBy(error);
  if (exhausted) replaceAllowance(res, exhausted);
}

/** The error as clients may see it; an unknown one is `internal`, without any details. */
export function toServiceError(err: unknown): ServiceError {
  if (err instanceof ServiceError) return err;
  const outage = asUnavailable(err);
  if (outage) return outage;
  if (err instanceof UnreadableSnapshot) {
    return unavailable({ retryAfterMs: PARKED_RETRY_MS, cause: err });
  }
  // Thrown by Express: a URL whose escapes can't be decoded.
  if (err instanceof URIError)
    return invalid({ path: "/path", rule: "encoding", message: "can't be decoded" });
  return new ServiceError("internal", undefined, { cause: err });
}

/** In specs: reports an answer that the document doesn't describe, and how it differs. */
export function undocumentedAnswer(answer: unknown, undocumented: unknown, cause?: unknown): ServiceError {
  const message = `not in the document: ${JSON.stringify({ answer, undocumented })}`;
  return new ServiceError("internal", undefined, { cause, message });
}
