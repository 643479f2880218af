import { type RewardContext, rewardMachine } from "../../../../actors/points/reward/machine.ts";
import { rewardOffer } from "../../../support/reward-offer.ts";
import { describeTable, REFUSED } from "../../host/state-table.ts";

const from = { cursor: "" };
const to = { cursor: "r1" };

const context: RewardContext = {
  ...rewardOffer(),
  channelUserId: "c",
  streamId: "s",
  createdAt: 0,
  redeemedAt: null,
  counted: { since: null, redemptions: 0 },
  deletedBy: null,
  settled: from,
};

const events = {
  change: { type: "change", offer: { cost: 20 } },
  redeem: { type: "redeem", redemptionId: "r1", userId: "u", userInput: null, since: null },
  delete: { type: "delete", userId: "c" },
  "settle, more to come": { type: "settle", batch: { members: [], from, to, last: false } },
  "settle, the last": { type: "settle", batch: { members: [], from, to, last: true } },
  "settle without a batch": { type: "settle", batch: null },
};

const all = (outcome: string) => Object.fromEntries(Object.keys(events).map((name) => [name, outcome]));

describe("the reward machine", () => {
  describeTable({
    machine: rewardMachine,
    contextOf: () => context,
    events,
    outcomes: {
      offered: {
        ...all(REFUSED),
        change: "offered relist",
        redeem: "offered sell",
        delete: "deleted.refunding delist",
      },
      "deleted.refunding": {
        ...all(REFUSED),
        "settle, more to come": "deleted.refunding refundAll",
        "settle, the last": "deleted.refunded refundAll",
      },
      "deleted.refunded": all(REFUSED),
    },
  });
});
