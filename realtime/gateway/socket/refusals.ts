import { asUnavailable } from "../../../base/failures/unavailable.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError } from "../../../contract/errors.ts";

/** The error as clients see it. An unexpected one is logged here and becomes `internal`. */
export function asServiceError(err: unknown, log: Log): ServiceError {
  if (err instanceof ServiceError) return err;
  const unavailable = asUnavailable(err);
  if (unavailable) {
    log.warn({ err }, "a store is unavailable");
    return unavailable;
  }
  log.error({ err }, "a socket's command failed");
  return new ServiceError("internal");
}
