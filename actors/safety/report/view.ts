import { REPORT_REASONS, REPORT_STATUSES, type ReportCaseDoc } from "../../../store/mongo/safety/reports.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { publicStatus } from "../../host/public-status.ts";
import type { ReportContext } from "./machine.ts";

/** The cap on what the number of reports adds to the priority: "other" with 128 reports equals self-harm with one. */
const MAX_COUNT_BONUS = 7;

/** Severity of the reason (one step per reason) plus log2 of the number of reports. */
function priorityOf({ reasonCode, reportCount }: Pick<ReportContext, "reasonCode" | "reportCount">): number {
  const severity = REPORT_REASONS.length - REPORT_REASONS.indexOf(reasonCode);
  return severity + Math.min(MAX_COUNT_BONUS, Math.floor(Math.log2(Math.max(1, reportCount))));
}

const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms));

/** The projection of an actor's state; the only place that maps states to public statuses. */
export function reportCaseDoc(state: ActorState<ReportContext>): ReportCaseDoc {
  const { id, context } = state;
  const status = publicStatus(state, REPORT_STATUSES);
  const { targetType, targetId, subjectUserId, streamId, reasonCode, reportCount } = context;
  return {
    _id: id,
    targetType,
    targetId,
    subjectUserId,
    streamId,
    status,
    isOpen: status === "open" || status === "reviewing",
    reasonCode,
    reportCount,
    priority: priorityOf(context),
    claimedBy: context.claimedBy,
    claimedUntil: dateOf(context.claimedUntil),
    decidedBy: context.decidedBy,
    decidedAt: dateOf(context.decidedAt),
    measures: context.measures,
    note: context.note,
    createdAt: new Date(context.openedAt),
  };
}
