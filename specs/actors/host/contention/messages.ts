import { hasFields } from "../../../stress/parent.ts";
import type { Moment } from "./tally.ts";

/** An event to send; an event with the same `op` is the same event. */
export type Job = { op: string; actor: string; amount: number };

export type Outcome =
  | { op: string; kind: "accepted"; seq: number; value: number }
  | { op: string; kind: "refused" }
  /** The outcome is unknown: the event has to be sent again. */
  | { op: string; kind: "failed"; reason: string };

/** The event, and the point of its batch, at which a process is stopped. */
export type Freeze = { op: string; moment: Moment };

export const isOutcome = (message: unknown): message is Outcome => hasFields(message, "op", "kind");
