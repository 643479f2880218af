/**
 * Thrown inside a transaction that rests on what is no longer so (another version, too small a balance): nothing of
 * it happened, and deciding again on fresh reads is right.
 */
export class Conflict extends Error {}
