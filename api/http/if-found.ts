import { ServiceError } from "../../contract/errors.ts";

/** Turns `not_found` into null, for pages that report it themselves; every other error is thrown. */
export async function ifFound<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (err) {
    if (err instanceof ServiceError && err.code === "not_found") return null;
    throw err;
  }
}
