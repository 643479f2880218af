import { ServiceError } from "../../specs/contract/errors.ts";

/** Null for what is `not_found`, where a page says so itself; every other refusal is thrown. */
export async function ifFound<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (err) {
    if (err instanceof ServiceError && err.code === "not_found") return null;
    throw err;
  }
}
