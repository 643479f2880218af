import Type from "typebox";
import { assign, cancel, raise, setup } from "xstate";
import { MINUTE_MS } from "../../../base/durations.ts";
import {
  MEASURES,
  REPORT_REASONS,
  REPORT_TARGETS,
  type ReportDoc,
  type ReportReason,
} from "../../../store/mongo/safety/reports.ts";
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

/** How long staff hold a report case that they have claimed; ms. */
export const CLAIM_MS = 30 * MINUTE_MS;

/** Incremented with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const REPORT_VERSION = 1;

const reason = Type.Enum([...REPORT_REASONS]);
const measure = exactly({
  id: identifier,
  type: Type.Enum([...MEASURES]),
  reason: Type.String({ maxLength: 1_000 }),
  durationSeconds: orNull(count),
  streamId: orNull(identifier),
});
const measures = Type.Array(measure, { maxItems: MEASURES.length });
const note = orNull(Type.String({ maxLength: 4_000 }));
const target = {
  targetType: Type.Enum([...REPORT_TARGETS]),
  targetId: identifier,
  /** The user who is responsible for the target. */
  subjectUserId: identifier,
  /** Set for messages and streams. */
  streamId: orNull(identifier),
};

export const reportContext = exactly({
  ...target,
  openedAt: count,
  reportCount: count,
  /** The most severe reason of its reports; "other" before the first. */
  reasonCode: reason,
  claimedBy: orNull(identifier),
  claimedUntil: orNull(count),
  decidedBy: orNull(identifier),
  decidedAt: orNull(count),
  measures,
  note,
  /** `cursor`: the id of the last report whose reporter was notified. */
  settled: exactly({ cursor: Type.String() }),
});

export const reportInput = exactly(target);

export const reportCommands = commandsOf({
  report: {
    reportId: identifier,
    reporterId: orNull(identifier),
    reasonCode: reason,
    details: orNull(Type.String({ maxLength: 4_000 })),
  },
  claim: { staffId: identifier },
  release: { staffId: identifier },
  act: { staffId: identifier, measures, note },
  dismiss: { staffId: identifier, note },
});

export type ReportInput = Static<typeof reportInput>;
export type ReportContext = Static<typeof reportContext>;
export type ReportCommand = CommandOf<typeof reportCommands>;
type ToldProgress = ReportContext["settled"];
type ReportsBatch = SettlingBatch<ReportDoc, ToldProgress>;

/** `first`: whether it is the reporter's first report in this case. */
type MadeReport = Extract<ReportCommand, { type: "report" }> & { first: boolean };
export type ReportEvent = MadeReport | Exclude<ReportCommand, { type: "report" }> | SettleEvent<ReportsBatch>;

const effects = {
  addReport: effect<MadeReport>(),
  takeMeasures: effect<undefined>(),
  tellReporters: effect<ReportsBatch>(),
};
export type ReportEffects = EffectsOf<typeof effects>;

const worse = (one: ReportReason, other: ReportReason): ReportReason =>
  REPORT_REASONS.indexOf(one) <= REPORT_REASONS.indexOf(other) ? one : other;

const machine = setup({
  types: {} as {
    context: ReportContext;
    input: ReportInput & { at: number };
    events: Stamped<ReportEvent>;
  },
  actions: {
    ...effects,
    noteReport: assign({
      reportCount: ({ context }) => context.reportCount + 1,
      reasonCode: ({ context, event }) =>
        event.type !== "report"
          ? context.reasonCode
          : context.reportCount === 0
            ? event.reasonCode
            : worse(event.reasonCode, context.reasonCode),
    }),
    noteClaim: assign({
      claimedBy: ({ context, event }) => (event.type === "claim" ? event.staffId : context.claimedBy),
      claimedUntil: ({ event }) => event.at + CLAIM_MS,
    }),
    dropClaim: assign({ claimedBy: null, claimedUntil: null }),
    noteDecision: assign({
      decidedBy: ({ context, event }) =>
        event.type === "act" || event.type === "dismiss" ? event.staffId : context.decidedBy,
      decidedAt: ({ event }) => event.at,
      measures: ({ context, event }) => (event.type === "act" ? event.measures : context.measures),
      note: ({ context, event }) =>
        event.type === "act" || event.type === "dismiss" ? event.note : context.note,
    }),
    noteSettled: assign({
      settled: ({ context, event }) => settledAfter(context.settled, event),
    }),
    armSettling: raise({ type: SETTLE, batch: null, at: 0 }, { id: SETTLE, delay: "settleAgain" }),
    disarmSettling: cancel(SETTLE),
  },
  guards: {
    isFirst: ({ event }) => event.type === "report" && event.first,
    ...settlingGuards,
  },
  delays: { claimOver: CLAIM_MS, settleAgain: SETTLE_TAKEOVER_MS },
});

const addReport = {
  type: "addReport",
  params: ({ event }: { event: ReportEvent }) => {
    if (event.type !== "report") throw new Error("only a report is added");
    return event;
  },
} as const;

const tellReporters = {
  type: "tellReporters",
  params: ({ event }: { event: ReportEvent }) => batchOf(event),
} as const;

/** A reporter's second report in a case is refused; the first one counts. */
const report = { guard: "isFirst", actions: ["noteReport", addReport] } as const;

const telling = () => machine.createStateConfig(settlingState("telling", "told", tellReporters));

/** Report (docs/interface.md#3-states): open → reviewing → actioned | dismissed. One actor for all reports on one target. */
export const reportMachine = machine.createMachine({
  id: "report",
  description:
    "All reports on one target, decided together. Its public status is the outer state; `telling` tells the reporters in batches, " +
    "each a commit of its own, and its timer takes over when the process that did it has died.",
  initial: "open",
  context: ({ input: { at, ...input } }) => ({
    ...input,
    openedAt: at,
    reportCount: 0,
    reasonCode: "other",
    claimedBy: null,
    claimedUntil: null,
    decidedBy: null,
    decidedAt: null,
    measures: [],
    note: null,
    settled: { cursor: "" },
  }),
  states: {
    open: {
      on: { report, claim: { target: "reviewing", actions: "noteClaim" } },
    },
    reviewing: {
      after: { claimOver: { target: "open", actions: "dropClaim" } },
      on: {
        report,
        // Only by the claimer; it renews the claim.
        claim: { target: "reviewing", reenter: true, actions: "noteClaim" },
        release: { target: "open", actions: "dropClaim" },
        act: { target: "actioned", actions: ["noteDecision", "takeMeasures"] },
        dismiss: { target: "dismissed", actions: "noteDecision" },
      },
    },
    actioned: { initial: "telling", states: { telling: telling(), told: { type: "final" } } },
    dismissed: { initial: "telling", states: { telling: telling(), told: { type: "final" } } },
  },
});
