import { type ReportContext, reportMachine } from "../../../../actors/safety/report/machine.ts";
import { describeTable, REFUSED } from "../../host/state-table.ts";

const from = { cursor: "" };
const to = { cursor: "r1" };

const context: ReportContext = {
  targetType: "user",
  targetId: "u",
  subjectUserId: "u",
  streamId: null,
  openedAt: 0,
  reportCount: 1,
  reasonCode: "spam",
  claimedBy: "s",
  claimedUntil: 1_800_000,
  decidedBy: null,
  decidedAt: null,
  measures: [],
  note: null,
  settled: from,
};

const CLAIM_OVER = "xstate.after.claimOver.report.reviewing";
const made = { type: "report", reportId: "r", reporterId: "p", reasonCode: "spam", details: null };
const warning = { id: "m", type: "warning", reason: "Be kind", durationSeconds: null, streamId: null };

const events = {
  "report, the first of its reporter": { ...made, first: true },
  "report, once more": { ...made, first: false },
  claim: { type: "claim", staffId: "s" },
  release: { type: "release", staffId: "s" },
  act: { type: "act", staffId: "s", measures: [warning], note: null },
  dismiss: { type: "dismiss", staffId: "s", note: null },
  "settle, more to come": { type: "settle", batch: { members: [], from, to, last: false } },
  "settle, the last": { type: "settle", batch: { members: [], from, to, last: true } },
  "settle without a batch": { type: "settle", batch: null },
  [CLAIM_OVER]: { type: CLAIM_OVER },
};

const all = (outcome: string) => Object.fromEntries(Object.keys(events).map((name) => [name, outcome]));
const telling = (status: string) => ({
  ...all(REFUSED),
  "settle, more to come": `${status}.telling tellReporters`,
  "settle, the last": `${status}.told tellReporters`,
});

describe("the report machine", () => {
  describeTable({
    machine: reportMachine,
    contextOf: () => context,
    events,
    outcomes: {
      open: {
        ...all(REFUSED),
        "report, the first of its reporter": "open addReport",
        claim: "reviewing",
      },
      reviewing: {
        ...all(REFUSED),
        "report, the first of its reporter": "reviewing addReport",
        claim: "reviewing",
        release: "open",
        act: "actioned.telling takeMeasures",
        dismiss: "dismissed.telling",
        [CLAIM_OVER]: "open",
      },
      "actioned.telling": telling("actioned"),
      "actioned.told": all(REFUSED),
      "dismissed.telling": telling("dismissed"),
      "dismissed.told": all(REFUSED),
    },
  });
});
