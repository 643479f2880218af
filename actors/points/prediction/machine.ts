import Type from "typebox";
import { assign, cancel, raise, setup } from "xstate";
import { DAY_MS } from "../../../base/durations.ts";
import type { BetDoc } from "../../../store/mongo/points/bets.ts";
import type { Stamped } from "../../host/actor-types.ts";
import { type EffectsOf, effect } from "../../host/effect.ts";
import {
  type CommandOf,
  commandsOf,
  count,
  exactly,
  identifier,
  orNull,
  type Static,
} from "../../host/schemas.ts";
import {
  batchOf,
  SETTLE,
  SETTLE_TAKEOVER_MS,
  type SettleEvent,
  type SettlingBatch,
  settledAfter,
  settlingGuards,
  settlingState,
} from "../../host/settling.ts";

/** Incremented with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const PREDICTION_VERSION = 1;

/** A prediction that is locked for this long without a result is cancelled. */
export const RESOLUTION_TIMEOUT_MS = DAY_MS;

/** The most points that one user may stake on one prediction in total. */
export const STAKE_LIMIT = 250_000;

const title = Type.String();
const outcome = { id: identifier, title, color: orNull(Type.String()) };
/** The immutable part of the context, set at creation. */
const given = {
  streamId: identifier,
  channelUserId: identifier,
  title,
  durationMs: count,
  createdBy: identifier,
};

export const predictionContext = exactly({
  ...given,
  outcomes: Type.Array(exactly({ ...outcome, pool: count, bettors: count })),
  openedAt: count,
  /** When it will lock; afterwards, when it was locked. Unix ms. */
  locksAt: count,
  resolvedOutcomeId: orNull(identifier),
  settled: exactly({
    /** The id of the last bet settled; "" before the first. */
    cursor: Type.String(),
    /** Sum of the winning stakes up to and including it. */
    staked: count,
  }),
});

const amount = Type.Integer({ minimum: 1, maximum: STAKE_LIMIT });
export const predictionCommands = commandsOf({
  /** `opId` is new with every request; it is part of the stake's ledger key. */
  bet: { opId: identifier, userId: identifier, outcomeId: identifier, amount },
  lock: {},
  resolve: { outcomeId: identifier },
  cancel: {},
});

export const predictionInput = exactly({ ...given, outcomes: Type.Array(exactly(outcome)) });
export type PredictionInput = Static<typeof predictionInput>;
export type PredictionContext = Static<typeof predictionContext>;
export type PredictionCommand = CommandOf<typeof predictionCommands>;
export type PayoutProgress = PredictionContext["settled"];
export type BetsBatch = SettlingBatch<BetDoc, PayoutProgress>;

/** `first`: whether it is the user's first bet on this prediction. */
type PlacedBet = Extract<PredictionCommand, { type: "bet" }> & { first: boolean };
export type PredictionEvent =
  | PlacedBet
  | Exclude<PredictionCommand, { type: "bet" }>
  | SettleEvent<BetsBatch>;

const effects = {
  announce: effect<{
    event: "prediction.opened" | "prediction.locked" | "prediction.resolved" | "prediction.cancelled";
  }>(),
  takeStake: effect<PlacedBet>(),
  settleBets: effect<BetsBatch>(),
};
export type PredictionEffects = EffectsOf<typeof effects>;
const announce = (event: PredictionEffects["announce"]["event"]) =>
  ({ type: "announce", params: { event } }) as const;

const machine = setup({
  types: {} as {
    context: PredictionContext;
    input: PredictionInput & { at: number };
    events: Stamped<PredictionEvent>;
  },
  actions: {
    ...effects,
    addStake: assign({
      outcomes: ({ context, event }) => {
        if (event.type !== "bet") return context.outcomes;
        return context.outcomes.map((outcome) =>
          outcome.id === event.outcomeId
            ? {
                ...outcome,
                pool: outcome.pool + event.amount,
                bettors: outcome.bettors + (event.first ? 1 : 0),
              }
            : outcome,
        );
      },
    }),
    noteLock: assign({ locksAt: ({ context, event }) => Math.min(context.locksAt, event.at) }),
    noteOutcome: assign({
      resolvedOutcomeId: ({ context, event }) =>
        event.type === "resolve" ? event.outcomeId : context.resolvedOutcomeId,
    }),
    noteSettled: assign({
      settled: ({ context, event }) => settledAfter(context.settled, event),
    }),
    armSettling: raise({ type: SETTLE, batch: null, at: 0 }, { id: SETTLE, delay: "settleAgain" }),
    disarmSettling: cancel(SETTLE),
  },
  guards: {
    nobodyBet: ({ context }) => context.outcomes.every((outcome) => outcome.pool === 0),
    ...settlingGuards,
  },
  delays: {
    betting: ({ context }) => context.durationMs,
    // The name stays, since stored timers carry it.
    forgotten: RESOLUTION_TIMEOUT_MS,
    settleAgain: SETTLE_TAKEOVER_MS,
  },
});

const settleBets = {
  type: "settleBets",
  params: ({ event }: { event: PredictionEvent }) => batchOf(event),
} as const;

const takeStake = {
  type: "takeStake",
  params: ({ event }: { event: PredictionEvent }) => {
    if (event.type !== "bet") throw new Error("only a bet has a stake");
    return event;
  },
} as const;

/** Settles the bets in batches until none is left, for both payouts and refunds. */
function settling(here: "paying" | "refunding", done: "paid" | "refunded") {
  return machine.createStateConfig({
    ...settlingState(here, done, settleBets),
    always: { guard: "nobodyBet", target: done },
  });
}

/** Prediction (docs/interface.md#3-states): active → locked → resolved | cancelled, or straight from active. */
export const predictionMachine = machine.createMachine({
  id: "prediction",
  description:
    "A prediction. Its public status is the outer state; `paying` and `refunding` work through the bets in batches, " +
    "each a commit of its own, and their timer takes over when the process that did it has died.",
  initial: "active",
  context: ({ input: { at, outcomes, ...input } }) => ({
    ...input,
    outcomes: outcomes.map((outcome) => ({ ...outcome, pool: 0, bettors: 0 })),
    openedAt: at,
    locksAt: at + input.durationMs,
    resolvedOutcomeId: null,
    settled: { cursor: "", staked: 0 },
  }),
  states: {
    active: {
      entry: announce("prediction.opened"),
      exit: "noteLock",
      after: { betting: "locked" },
      on: {
        bet: { actions: ["addStake", takeStake] },
        lock: "locked",
        resolve: "resolved",
        cancel: "cancelled",
      },
    },
    locked: {
      entry: announce("prediction.locked"),
      after: { forgotten: "cancelled" },
      on: { resolve: "resolved", cancel: "cancelled" },
    },
    resolved: {
      entry: ["noteOutcome", announce("prediction.resolved")],
      initial: "paying",
      states: { paying: settling("paying", "paid"), paid: { type: "final" } },
    },
    cancelled: {
      entry: announce("prediction.cancelled"),
      initial: "refunding",
      states: { refunding: settling("refunding", "refunded"), refunded: { type: "final" } },
    },
  },
});
