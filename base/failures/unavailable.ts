import { ServiceError, unavailable } from "../../contract/errors.ts";
import { Conflict } from "./conflict.ts";
import { isMongoUnavailable } from "./mongo.ts";
import { isOutOfOpenFiles } from "./open-files.ts";
import { isRedisUnavailable } from "./redis.ts";

/**
 * The error that clients get while a store is unreachable, when others wrote first at every attempt, or when no file can be opened: 503, for REST and
 * sockets. Null for any other error.
 */
export const asUnavailable = (err: unknown): ServiceError | null =>
  isMongoUnavailable(err) || isRedisUnavailable(err) || isOutOfOpenFiles(err) || err instanceof Conflict
    ? unavailable({ cause: err })
    : null;

/** Whether a client gets `unavailable` for it: the driver's error, a conflict, or our error made from either. */
export const isUnavailable = (err: unknown): boolean =>
  asUnavailable(err) !== null || (err instanceof ServiceError && err.code === "unavailable");

/** Null while the store is unreachable, or the call meets conflicts: for data with another source, or that is optional. */
export async function nullIfUnavailable<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (err) {
    if (isUnavailable(err)) return null;
    throw err;
  }
}
