import { type PollContext, pollMachine } from "../../../../actors/chat/poll/machine.ts";
import { describeTable, REFUSED } from "../../host/state-table.ts";

const context: PollContext = {
  streamId: "s",
  channelUserId: "c",
  roomId: 1,
  question: "?",
  createdBy: "c",
  options: [
    { id: "a", text: "a", votes: 1 },
    { id: "b", text: "b", votes: 0 },
  ],
  durationMs: 60_000,
  openedAt: 0,
  endsAt: 60_000,
};

const VOTING = "xstate.after.voting.poll.active";

const events = {
  vote: { type: "vote", userId: "u", optionId: "a" },
  end: { type: "end" },
  [VOTING]: { type: VOTING },
};

describe("the poll machine", () => {
  describeTable({
    machine: pollMachine,
    contextOf: () => context,
    events,
    outcomes: {
      active: { vote: "active takeVote", end: "ended noteAct announce", [VOTING]: "ended announce" },
      ended: { vote: REFUSED, end: REFUSED, [VOTING]: REFUSED },
    },
  });
});
