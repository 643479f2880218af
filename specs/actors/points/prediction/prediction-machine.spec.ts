import { type PredictionContext, predictionMachine } from "../../../../actors/points/prediction/machine.ts";
import { describeTable, REFUSED } from "../../host/state-table.ts";

const from = { cursor: "", staked: 0 };
const to = { cursor: "p:u", staked: 50 };

const context: PredictionContext = {
  streamId: "s",
  channelUserId: "c",
  title: "t",
  outcomes: [
    { id: "a", title: "a", color: null, pool: 50, bettors: 1 },
    { id: "b", title: "b", color: null, pool: 0, bettors: 0 },
  ],
  durationMs: 60_000,
  createdBy: "c",
  openedAt: 0,
  locksAt: 60_000,
  resolvedOutcomeId: null,
  settled: from,
};

const BETTING = "xstate.after.betting.prediction.active";
const UNRESOLVED = "xstate.after.forgotten.prediction.locked";

const events = {
  bet: { type: "bet", opId: "o", userId: "u", outcomeId: "a", amount: 5, first: true },
  lock: { type: "lock" },
  resolve: { type: "resolve", outcomeId: "a" },
  cancel: { type: "cancel" },
  "settle, more to come": { type: "settle", batch: { from, to, last: false } },
  "settle, the last": { type: "settle", batch: { from, to, last: true } },
  "settle without a batch": { type: "settle", batch: null },
  [BETTING]: { type: BETTING },
  [UNRESOLVED]: { type: UNRESOLVED },
};

const all = (outcome: string) => Object.fromEntries(Object.keys(events).map((name) => [name, outcome]));
const toPaying = "resolved.paying announce";
const toRefunding = "cancelled.refunding announce";

describe("the prediction machine", () => {
  describeTable({
    machine: predictionMachine,
    contextOf: () => context,
    events,
    outcomes: {
      active: {
        ...all(REFUSED),
        bet: "active takeStake",
        lock: "locked announce",
        [BETTING]: "locked announce",
        resolve: toPaying,
        cancel: toRefunding,
      },
      locked: { ...all(REFUSED), resolve: toPaying, cancel: toRefunding, [UNRESOLVED]: toRefunding },
      "resolved.paying": {
        ...all(REFUSED),
        "settle, more to come": "resolved.paying settleBets",
        "settle, the last": "resolved.paid settleBets",
      },
      "resolved.paid": all(REFUSED),
      "cancelled.refunding": {
        ...all(REFUSED),
        "settle, more to come": "cancelled.refunding settleBets",
        "settle, the last": "cancelled.refunded settleBets",
      },
      "cancelled.refunded": all(REFUSED),
    },
  });

  describe("without a single bet", () => {
    const untouched = {
      ...context,
      outcomes: context.outcomes.map((one) => ({ ...one, pool: 0, bettors: 0 })),
    };
    describeTable({
      machine: predictionMachine,
      contextOf: () => untouched,
      events,
      outcomes: {
        active: {
          ...all(REFUSED),
          bet: "active takeStake",
          lock: "locked announce",
          [BETTING]: "locked announce",
          resolve: "resolved.paid announce",
          cancel: "cancelled.refunded announce",
        },
        locked: {
          ...all(REFUSED),
          resolve: "resolved.paid announce",
          cancel: "cancelled.refunded announce",
          [UNRESOLVED]: "cancelled.refunded announce",
        },
        // Never entered for longer than a step.
        "resolved.paying": {
          ...all(REFUSED),
          "settle, more to come": "resolved.paid settleBets",
          "settle, the last": "resolved.paid settleBets",
        },
        "resolved.paid": all(REFUSED),
        "cancelled.refunding": {
          ...all(REFUSED),
          "settle, more to come": "cancelled.refunded settleBets",
          "settle, the last": "cancelled.refunded settleBets",
        },
        "cancelled.refunded": all(REFUSED),
      },
    });
  });
});
