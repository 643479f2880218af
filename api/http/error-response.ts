import type { ErrorRequestHandler, Response } from "express";
import { UnreadableSnapshot } from "../../actors/host/envelope.ts";
import { type ErrorDetails, ServiceError } from "../../specs/contract/errors.ts";
import { isRedisAway } from "../../store/redis/connect.ts";
import { contextOf } from "./context.ts";
import { invalid } from "./invalid.ts";
import { isMongoAway } from "./mongo-away.ts";

const AWAY_RETRY_MS = 1_000;
/** An actor waits for other code, which takes an operator. */
const PARKED_RETRY_MS = 60_000;

/** The one place of the REST side that catches everything: an error becomes the envelope (spec §7). */
export const answerError: ErrorRequestHandler = (err, req, res, _next) => {
  const { log, operationId, checkAnswer } = contextOf(req);
  let told = toServiceError(err);
  const undocumented = checkAnswer?.(told.status, told.envelope()) ?? [];
  if (undocumented.length > 0) {
    told = new ServiceError("internal", { answer: told.envelope(), undocumented }, { cause: err });
  }
  if (told.code === "internal")
    log.error({ err, undocumented, operation: operationId }, "a request failed unexpectedly");
  if (told.code === "unavailable") log.warn({ err: told, operation: operationId }, "a store is away");
  if (res.headersSent) {
    // Half an answer is on its way: cutting it is the only sign left.
    res.destroy();
    return;
  }
  // The rest of a refused body isn't read: the connection ends instead.
  if (told.code === "payload_too_large") res.setHeader("Connection", "close");
  sendError(res, told);
};

export function sendError(res: Response, error: ServiceError): void {
  const waitMs = error.details?.retry_after_ms;
  if (typeof waitMs === "number")
    res.setHeader("Retry-After", String(Math.max(1, Math.ceil(waitMs / 1_000))));
  res.status(error.status).json(error.envelope());
}

/** What may be told of any error; what isn't known is `internal`, without a word of what happened. */
export function toServiceError(err: unknown): ServiceError {
  if (err instanceof ServiceError) return withRetry(err);
  if (isMongoAway(err) || isRedisAway(err)) {
    return new ServiceError("unavailable", { retry_after_ms: AWAY_RETRY_MS }, { cause: err });
  }
  if (err instanceof UnreadableSnapshot) {
    return new ServiceError("unavailable", { retry_after_ms: PARKED_RETRY_MS }, { cause: err });
  }
  // Express's own: an address whose escapes can't be decoded.
  if (err instanceof URIError)
    return invalid([{ path: "/path", rule: "encoding", message: "can't be decoded" }]);
  return new ServiceError("internal", undefined, { cause: err });
}

/** 429 and 503 always say when to come back. */
function withRetry(error: ServiceError): ServiceError {
  if (error.status !== 429 && error.status !== 503) return error;
  if (typeof error.details?.retry_after_ms === "number") return error;
  const details: ErrorDetails = { ...error.details, retry_after_ms: AWAY_RETRY_MS };
  return new ServiceError(error.code, details, { cause: error, message: error.message });
}
