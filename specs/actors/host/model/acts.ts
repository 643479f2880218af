import fc from "fast-check";
import { DAY_MS } from "../../../../base/durations.ts";
import type { Fault } from "./failing-process.ts";

export const VIEWERS = 4;
export const REDEMPTION_EXPIRY_MS = 30 * DAY_MS;

/** An act on the channel; `nth` counts back from the latest. */
export type Act =
  | { type: "redeem"; viewer: number; key: number | null }
  | { type: "fulfil" | "refund"; nth: number }
  | { type: "bet"; viewer: number; outcome: number; amount: number }
  | { type: "resolve" | "cancel" | "delete" }
  | { type: "claim" | "follow"; viewer: number }
  | { type: "watch"; viewer: number; window: number }
  | { type: "tip"; viewer: number; amount: number }
  | { type: "tip refund" | "refund reported"; nth: number };

/** Concurrent acts; a third of them at a process with a fault. */
export type Step = { acts: Act[]; passMs: number; fault: Fault | null };

const viewer = fc.nat(VIEWERS - 1);
const nth = fc.nat(9);
const one = <Type extends string>(...types: Type[]) => fc.constantFrom(...types);

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: one("redeem"), viewer, key: fc.option(fc.nat(5)) }),
  },
  { weight: 4, arbitrary: fc.record({ type: one("fulfil", "refund"), nth }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: one("bet"),
      viewer,
      outcome: fc.nat(1),
      amount: fc.integer({ min: 1, max: 200 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: one("watch"), viewer, window: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ type: one("claim", "follow"), viewer }) },
  { weight: 2, arbitrary: fc.record({ type: one("resolve", "cancel", "delete") }) },
  { weight: 3, arbitrary: fc.record({ type: one("tip"), viewer, amount: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 3, arbitrary: fc.record({ type: one("tip refund", "refund reported"), nth }) },
);

/** There may be fewer commands than this. */
const deadly = fc.record({ kind: one("dies at a command"), at: fc.integer({ min: 1, max: 100 }) });
const atCommit = fc.record({
  kind: one("dies after a commit", "dies after a commit", "commit fails", "answer lost"),
  at: fc.integer({ min: 1, max: 3 }),
});

const step: fc.Arbitrary<Step> = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 12 }),
  passMs: fc.constantFrom(0, 0, 1_000, 60_000, REDEMPTION_EXPIRY_MS),
  fault: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, deadly, atCommit),
});

export const program = fc.array(step, { minLength: 4, maxLength: 12 });
