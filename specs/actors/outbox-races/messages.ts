import { hasFields } from "../../stress/parent.ts";

export type Input = { database: string; redisUrl: string };

/** What a publisher is asked: to publish a source, or to die right after it told the `dieAfter`-th row from now on. */
export type Order = { publish: string } | { dieAfter: number };

export const isInput = (given: unknown): given is Input => hasFields(given, "database", "redisUrl");
export const isOrder = (given: unknown): given is Order =>
  hasFields(given, "publish") || hasFields(given, "dieAfter");
/** Rows that the room had already. */
export const isRepeat = (message: unknown): message is { repeated: true } => hasFields(message, "repeated");
