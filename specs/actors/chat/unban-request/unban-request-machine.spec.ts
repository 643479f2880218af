import {
  type UnbanRequestContext,
  unbanRequestMachine,
} from "../../../../actors/chat/unban-request/machine.ts";
import { describeTable, REFUSED } from "../../host/state-table.ts";

const context: UnbanRequestContext = {
  streamId: "s",
  channelUserId: "c",
  userId: "u",
  message: "Sorry",
  requestedAt: 0,
  resolvedAt: null,
  resolvedBy: null,
  note: null,
};

const EXPIRY = "xstate.after.expiry.unban-request.pending";

const decision = { moderatorId: "m", note: "Be kind" };
const events = {
  approve: { type: "approve", ...decision },
  deny: { type: "deny", ...decision },
  banLifted: { type: "banLifted" },
  [EXPIRY]: { type: EXPIRY },
};
const ended = { approve: REFUSED, deny: REFUSED, banLifted: REFUSED, [EXPIRY]: REFUSED };

describe("the unban request machine", () => {
  describeTable({
    machine: unbanRequestMachine,
    contextOf: () => context,
    events,
    outcomes: {
      pending: {
        approve: "approved moderate conclude",
        deny: "denied moderate conclude",
        banLifted: "expired conclude",
        [EXPIRY]: "expired conclude",
      },
      approved: ended,
      denied: ended,
      expired: ended,
    },
  });
});
