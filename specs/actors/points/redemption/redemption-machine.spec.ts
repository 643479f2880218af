import { type RedemptionContext, redemptionMachine } from "../../../../actors/points/redemption/machine.ts";
import { describeTable, REFUSED } from "../../host/state-table.ts";

const context: RedemptionContext = { rewardId: "r", redeemerId: "u", boughtAt: 0, leftMs: 1_000 };

const EXPIRED = "xstate.after.forgotten.redemption.pending";

const events = {
  fulfil: { type: "fulfil" },
  refund: { type: "refund" },
  [EXPIRED]: { type: EXPIRED },
};
const ended = { fulfil: REFUSED, refund: REFUSED, [EXPIRED]: REFUSED };

describe("the redemption machine", () => {
  describeTable({
    machine: redemptionMachine,
    contextOf: () => context,
    events,
    outcomes: {
      pending: {
        fulfil: "fulfilled conclude",
        refund: "refunded conclude",
        [EXPIRED]: "refunded conclude",
      },
      fulfilled: ended,
      refunded: ended,
    },
  });
});
