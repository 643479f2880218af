import { type RaidContext, raidMachine } from "../../../../actors/raids/raid/machine.ts";
import { describeTable, REFUSED } from "../../host/state-table.ts";

const from = { cursor: "", arrived: 0 };
const to = { cursor: "r:u", arrived: 1 };

const context: RaidContext = {
  sourceUserId: "a",
  sourceStreamId: "s",
  targetUserId: "b",
  targetStreamId: "t",
  message: null,
  createdBy: "a",
  createdAt: 0,
  startedAt: null,
  completedAt: null,
  viewers: 0,
  settled: from,
};

const HOLD = "xstate.after.hold.raid.pending.held";
const ARRIVAL = "xstate.after.arrival.raid.active.arriving";

const events = {
  start: { type: "start", viewers: 3, isAccepted: true },
  "start, not accepted": { type: "start", viewers: 3, isAccepted: false },
  countdownOver: { type: "countdownOver", viewers: 3, isAccepted: true },
  "countdownOver, not accepted": { type: "countdownOver", viewers: 3, isAccepted: false },
  cancel: { type: "cancel" },
  targetWentOffline: { type: "targetWentOffline" },
  "settle, more to come": { type: "settle", batch: { from, to, last: false } },
  "settle, the last": { type: "settle", batch: { from, to, last: true } },
  "settle without a batch": { type: "settle", batch: null },
  [HOLD]: { type: HOLD },
  [ARRIVAL]: { type: ARRIVAL },
};

const all = (outcome: string) => Object.fromEntries(Object.keys(events).map((name) => [name, outcome]));
const toActive = "active.arriving announce announce raiseShield";
const toCancelled = "cancelled announce";
const pending = {
  ...all(REFUSED),
  countdownOver: toActive,
  "countdownOver, not accepted": toCancelled,
  cancel: toCancelled,
  targetWentOffline: toCancelled,
};

describe("the raid machine", () => {
  describeTable({
    machine: raidMachine,
    contextOf: () => context,
    events,
    outcomes: {
      "pending.held": { ...pending, [HOLD]: "pending.ready" },
      "pending.ready": { ...pending, start: toActive, "start, not accepted": toCancelled },
      "active.arriving": { ...all(REFUSED), [ARRIVAL]: "active.settling" },
      "active.settling": {
        ...all(REFUSED),
        "settle, more to come": "active.settling settleArrivals",
        "settle, the last": "completed settleArrivals hostTarget",
      },
      completed: all(REFUSED),
      cancelled: all(REFUSED),
    },
  });
});
