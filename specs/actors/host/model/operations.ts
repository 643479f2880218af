import fc from "fast-check";

/** The viewers' initial balances; the last one can reach the stake limit. */
export const FORTUNES = [50, 500, 500, 1_000, 600_000] as const;
/** The channel's owner comes after the viewers. */
export const OWNER = FORTUNES.length;
export const OUTCOMES = 2;

/** Users are numbers; outcome 2 doesn't exist. */
export type Ask = { by: number; key: number | null } & (
  | { type: "bet"; outcome: number; amount: number }
  | { type: "lock" }
  | { type: "resolve"; outcome: number }
  | { type: "cancel" }
);

/**
 * Where the process dies: "before": with the commit pending; "after": right after the commit, before it answers. Then requests
 * with a key are retried.
 */
export type Crash = "before" | "after" | null;

export type Offered = {
  cost: number;
  cooldownSeconds: number | null;
  perUser: number | null;
  skips: boolean;
};

export type Redeem = { by: number; key: number | null };

export type Step =
  /** Concurrently, in this order; `older`: on the prediction before the latest. */
  | { type: "ask"; older: boolean; asks: Ask[]; crash: Crash }
  | { type: "open"; key: number | null; seconds: number }
  | ({ type: "offer" } & Offered)
  /** Concurrently, in this order, on the latest reward or the one before. */
  | { type: "redeem"; older: boolean; asks: Redeem[]; crash: Crash }
  /** By the owner; on the n-th latest redemption. */
  | { type: "decide"; nth: number; decision: "fulfil" | "refund"; key: number | null; crash: Crash }
  /** The latest reward. */
  | { type: "delete"; crash: Crash }
  | { type: "earn"; user: number; window: number }
  | { type: "pass"; ms: number };

const MINUTE = 60_000;
const HOUR = 3_600_000;

const key = fc.option(fc.nat(3), { freq: 2 });
const older = fc.integer({ min: 0, max: 9 }).map((one) => one === 0);
const outcome = fc.oneof(
  { weight: 12, arbitrary: fc.nat(OUTCOMES - 1) },
  { weight: 1, arbitrary: fc.constant(2) },
);
const bettor = fc.oneof(
  { weight: 20, arbitrary: fc.nat(OWNER - 1) },
  { weight: 1, arbitrary: fc.constant(OWNER) },
);
const decider = fc.oneof(
  { weight: 4, arbitrary: fc.constant(OWNER) },
  { weight: 1, arbitrary: fc.nat(OWNER - 1) },
);
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 120 }) },
  { weight: 2, arbitrary: fc.integer({ min: 400, max: 1_100 }) },
  { weight: 1, arbitrary: fc.integer({ min: 90_000, max: 250_000 }) },
);

const bet = fc.record({ type: fc.constant("bet" as const), by: bettor, key, outcome, amount });
const lock = fc.record({ type: fc.constant("lock" as const), by: decider, key });
const cancel = fc.record({ type: fc.constant("cancel" as const), by: decider, key });
const resolve = fc.record({ type: fc.constant("resolve" as const), by: decider, key, outcome });

const ask: fc.Arbitrary<Ask> = fc.oneof(
  { weight: 150, arbitrary: bet },
  { weight: 2, arbitrary: lock },
  { weight: 2, arbitrary: resolve },
  { weight: 1, arbitrary: cancel },
);

const crash = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom("before", "after") },
);
const redeem = fc.record({ by: fc.nat(OWNER - 1), key });
const several = <One>(one: fc.Arbitrary<One>) => fc.array(one, { minLength: 1, maxLength: 12 });

/** Steps of predictions; `crash` is the possible crash. */
const predicting = (crash: fc.Arbitrary<Crash>): fc.MaybeWeightedArbitrary<Step>[] => [
  {
    weight: 12,
    arbitrary: fc.record({ type: fc.constant("ask" as const), older, asks: several(ask), crash }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("open" as const),
      key,
      seconds: fc.constantFrom(30, 60, 1_800),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("earn" as const), user: fc.nat(OWNER - 1), window: fc.nat(5) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("pass" as const),
      ms: fc.constantFrom(1_000, 30_000, MINUTE, HOUR, 24 * HOUR - 1, 24 * HOUR, 30 * 24 * HOUR),
    }),
  },
];

const rewarding: fc.MaybeWeightedArbitrary<Step>[] = [
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("offer" as const),
      cost: fc.constantFrom(1, 40, 300),
      skips: fc.boolean(),
      cooldownSeconds: fc.constantFrom(null, null, 30),
      perUser: fc.constantFrom(null, 3),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant("redeem" as const), older, asks: several(redeem), crash }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("decide" as const),
      nth: fc.nat(12),
      key,
      crash,
      decision: fc.constantFrom("fulfil" as const, "refund" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("delete" as const), crash }) },
];

/** Maximum steps of a run, most of several operations. */
const MAX_STEPS = 60;
const runOf = (steps: fc.MaybeWeightedArbitrary<Step>[]) =>
  fc.array(fc.oneof(...steps), { minLength: 1, maxLength: MAX_STEPS, size: "max" });

/** Failures of stores are covered by the random programs (random-programs.ts). */
export const RUNS = {
  pure: runOf([...predicting(crash), ...rewarding]),
  stored: runOf(predicting(fc.constant(null))),
};

export const operationsIn = (steps: readonly Step[]) =>
  steps.reduce((sum, one) => sum + ("asks" in one ? one.asks.length : 1), 0);
