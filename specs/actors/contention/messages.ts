import { hasFields } from "../../stress/parent.ts";
import type { Moment } from "./tally.ts";

/** An event to be told; the same `op` again is the same event. */
export type Job = { op: string; actor: string; amount: number };

export type Outcome =
  | { op: string; kind: "accepted"; seq: number; value: number }
  | { op: string; kind: "refused" }
  /** The outcome is unknown: the same event has to be told again. */
  | { op: string; kind: "failed"; reason: string };

/** The event, and the moment of its batch, at which a process stops dead. */
export type Freeze = { op: string; moment: Moment };

export const isOutcome = (message: unknown): message is Outcome => hasFields(message, "op", "kind");
