import { isDuplicateKey } from "./mongo.ts";

/**
 * Thrown inside a transaction whose premise no longer holds (another version, too small a balance). Nothing was written;
 * the caller should decide again on fresh reads. A request whose last attempt throws it is answered `unavailable`.
 */
export class Conflict extends Error {}

/** A concurrent writer won: nothing was written, and a fresh read shows what the other one wrote. */
export const isWriteConflict = (err: unknown): boolean => err instanceof Conflict || isDuplicateKey(err);
