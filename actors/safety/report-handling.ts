import type { Audit } from "../../store/audit.ts";
import { newId } from "../../store/ids.ts";
import { accountBansIn } from "../../store/mongo/account-bans.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { MeasureDoc, ReportCaseDoc } from "../../store/mongo/reports.ts";
import type { Reports } from "../report/reports.ts";
import type { ByStaff, Sanctions } from "./sanctions.ts";

type Deps = { mongo: Mongo; reports: Reports; sanctions: Pick<Sanctions, "banned">; audit: Audit };

/** What staff do about a case; `measures` is empty but for `act`. */
export type CaseHandling =
  | { action: "claim" | "release" }
  | { action: "dismiss"; note: string | null }
  | { action: "act"; measures: Omit<MeasureDoc, "id">[]; note: string | null };

/** Staff at the queue of reports: each act is audited, and what a ban ends is ended with the answer. */
export function createReportHandling({ mongo, reports, sanctions, audit }: Deps) {
  const bans = accountBansIn(mongo.db);

  async function act(caseId: string, by: ByStaff, handling: CaseHandling): Promise<ReportCaseDoc> {
    const who = { caseId, staffId: by.userId };
    switch (handling.action) {
      case "claim":
        return reports.claim(who);
      case "release":
        return reports.release(who);
      case "dismiss":
        return reports.dismiss(who, handling.note);
      case "act": {
        const { streamId } = await reports.require(caseId);
        const measures = handling.measures.map((one) => ({
          ...one,
          id: newId(),
          streamId: one.type === "chat_ban" ? (one.streamId ?? streamId) : null,
        }));
        return reports.act(who, measures, handling.note);
      }
    }
  }

  return {
    async handle(caseId: string, by: ByStaff, handling: CaseHandling): Promise<ReportCaseDoc> {
      const handled = await act(caseId, by, handling);
      const { action } = handling;
      const accountId = handled.subjectUserId;
      const measures = handled.measures.map(({ type }) => type).join(" ");
      audit("report.handled", by, { reportId: caseId, accountId, action, measures });
      if (action === "act") {
        const ban = await bans.currentOf(accountId);
        if (ban?.reportId === caseId) await sanctions.banned(ban, by);
      }
      return handled;
    },
  };
}

export type ReportHandling = ReturnType<typeof createReportHandling>;
