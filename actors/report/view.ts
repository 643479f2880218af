import { REPORT_REASONS, type ReportCaseDoc, type ReportStatus } from "../../store/mongo/reports.ts";
import type { ActorState } from "../host/actor-types.ts";
import type { ReportContext } from "./machine.ts";

export const REPORT_STATUSES: readonly ReportStatus[] = ["open", "reviewing", "actioned", "dismissed"];

/** The cap on what the number of reports adds to the priority: "other" with 128 reports equals self-harm with one. */
const MAX_COUNT_BONUS = 7;

/** Severity of the reason (one step per reason) plus log2 of the number of reports. */
function priorityOf({ reasonCode, reportCount }: Pick<ReportContext, "reasonCode" | "reportCount">): number {
  const severity = REPORT_REASONS.length - REPORT_REASONS.indexOf(reasonCode);
  return severity + Math.min(MAX_COUNT_BONUS, Math.floor(Math.log2(Math.max(1, reportCount))));
}

const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms));

/** The projection of an actor's state; the only place that maps states to public statuses. */
export function reportCaseDoc({ id, status, context }: ActorState<ReportContext>): ReportCaseDoc {
  const known = REPORT_STATUSES.find((one) => one === status);
  if (!known) throw new Error(`a report has no public status ${status}`);
  const { targetType, targetId, subjectUserId, streamId, reasonCode, reportCount } = context;
  return {
    _id: id,
    ...{ targetType, targetId, subjectUserId, streamId },
    status: known,
    isOpen: known === "open" || known === "reviewing",
    ...{ reasonCode, reportCount },
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
