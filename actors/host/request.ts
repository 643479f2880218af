import { createHash } from "node:crypto";
import type { TimerDoc } from "../../store/mongo/host/timers.ts";
import type { Refusal } from "./definition.ts";

/** Makes one logical request idempotent: the client's key, made unique per user, machine and operation. */
export type IdempotentRequest = {
  key: string;
  /** The request, as JSON: another request with the same key is refused. */
  request: unknown;
};

export type AskOptions = {
  by: string | null;
  once?: IdempotentRequest;
  /** When it happened according to its reporter (hooks come late and out of order); by default now. */
  happenedAt?: Date;
};

/** One item of a mailbox, with its callback. */
export type Request = {
  command: { type: string } | null;
  /** Given when the request may create the actor. */
  input: object | null;
  /** The timer that this request fires. */
  timer: TimerDoc | null;
  by: string | null;
  /** When the host received it. */
  at: Date;
  /** When it happened, if that differs from when it was received. */
  happenedAt?: Date;
  once: { key: string; requestHash: string } | null;
  /** In the time of performance.now(): the request is answered by then, and isn't begun after it. */
  deadline: number;
  /** Set when an actor continues its settling: the version to continue from. At another version, somebody else continues it. */
  expectedVersion?: number;
  answer(outcome: Outcome): void;
};

export type Outcome =
  | { kind: "answered"; answer: unknown }
  | { kind: "refused"; refusal: Refusal }
  /** A timer that was no longer needed. */
  | { kind: "stale"; refusal?: Refusal }
  | { kind: "failed"; error: unknown };

/** Equal for equal requests, whatever the order of their fields. SHA-256, hex. */
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
