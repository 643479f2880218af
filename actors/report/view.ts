import { REPORT_REASONS, type ReportCaseDoc, type ReportStatus } from "../../store/mongo/reports.ts";
import type { ActorState } from "../host/actor-types.ts";
import type { ReportContext } from "./machine.ts";

export const REPORT_STATUSES: readonly ReportStatus[] = ["open", "reviewing", "actioned", "dismissed"];

/** As many reports outweigh any reason: spam reported by 128 comes beside self-harm reported by one. */
const MAX_BY_NUMBER = 7;

/** Each reason outweighs the next one; each doubling of the reports is worth one reason. */
function priorityOf({ reasonCode, reportCount }: Pick<ReportContext, "reasonCode" | "reportCount">): number {
  const severity = REPORT_REASONS.length - REPORT_REASONS.indexOf(reasonCode);
  return severity + Math.min(MAX_BY_NUMBER, Math.floor(Math.log2(Math.max(1, reportCount))));
}

const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms));

/** How the actor reads: the one place where a state becomes a public status. */
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
