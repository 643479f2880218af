import { createHash } from "node:crypto";
import type { TimerDoc } from "../../store/mongo/timers.ts";
import type { Refusal } from "./definition.ts";

/** Makes one logical request happen once: the key as the client gave it, made unique per user, machine and operation. */
export type Once = {
  key: string;
  /** The request, as JSON: the same key with another request is refused. */
  request: unknown;
};

export type AskOptions = {
  by: string | null;
  once?: Once;
  /** When it happened, by its reporter (a hook comes late, and out of order); left out: now. */
  happenedAt?: Date;
};

/** One item of a mailbox, and how it is answered. */
export type Request = {
  command: { type: string } | null;
  /** Given when the actor may come to be by this request. */
  input: object | null;
  /** The timer that fires with it. */
  timer: TimerDoc | null;
  by: string | null;
  /** When it came. */
  at: Date;
  /** When it happened, where that isn't when it came. */
  happenedAt?: Date;
  once: { key: string; requestHash: string } | null;
  /** By performance.now(): answered by then, and not begun after it. */
  deadline: number;
  /** Set when an actor goes on with its settling: the version that it goes on from. At another one somebody else does. */
  goesOnFrom?: number;
  answer(outcome: Outcome): void;
};

export type Outcome =
  | { kind: "answered"; answer: unknown }
  | { kind: "refused"; refusal: Refusal }
  /** A timer that was no longer wanted. */
  | { kind: "stale"; refusal?: Refusal }
  | { kind: "failed"; error: unknown };

/** The same for equal requests, whatever the order of their fields. */
export function requestHash(request: unknown): string {
  return createHash("sha256").update(canonical(request)).digest("hex");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    fields.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
