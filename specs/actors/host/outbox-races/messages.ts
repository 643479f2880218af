import { hasFields } from "../../../stress/parent.ts";

export type Input = { database: string; redisUrl: string };

/** An order for a publisher: publish a source, or die right after publishing the `dieAfter`-th row from now on. */
export type Order = { publish: string } | { dieAfter: number };

export const isInput = (given: unknown): given is Input => hasFields(given, "database", "redisUrl");
export const isOrder = (given: unknown): given is Order =>
  hasFields(given, "publish") || hasFields(given, "dieAfter");
/** Reports rows that the room already had. */
export const isRepeat = (message: unknown): message is { repeated: true } => hasFields(message, "repeated");
