import { ServiceError } from "../specs/contract/errors.ts";
import { isMongoAway } from "./mongo/failures.ts";
import { isRedisAway } from "./redis/connect.ts";

const RETRY_MS = 1_000;

/** What a client is told when a store couldn't be asked: 503 at every door. Null for any other error. */
export const asUnavailable = (err: unknown): ServiceError | null =>
  isMongoAway(err) || isRedisAway(err)
    ? new ServiceError("unavailable", { retry_after_ms: RETRY_MS }, { cause: err })
    : null;

/** Whether a store couldn't be asked, as its driver says it or as one of ours has put it already. */
export const isUnavailable = (err: unknown): boolean =>
  asUnavailable(err) !== null || (err instanceof ServiceError && err.code === "unavailable");
