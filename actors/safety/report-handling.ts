import type { Audit } from "../../store/audit.ts";
import { newId } from "../../store/ids.ts";
import type { MeasureDoc, ReportCaseDoc } from "../../store/mongo/reports.ts";
import type { Banned } from "../identity/account-standing.ts";
import type { Reports } from "../report/reports.ts";
import type { ByStaff, Sanctions } from "./sanctions.ts";

type Deps = { reports: Reports; sanctions: Pick<Sanctions, "banned">; audit: Audit };

/** What staff do about a case; `measures` is empty but for `act`. */
export type CaseHandling =
  | { action: "claim" | "release" }
  | { action: "dismiss"; note: string | null }
  | { action: "act"; measures: Omit<MeasureDoc, "id">[]; note: string | null };

/** Staff at the queue of reports: each act is audited, and what a ban ends is ended with the answer. */
export function createReportHandling({ reports, sanctions, audit }: Deps) {
  type Handled = { doc: ReportCaseDoc; banned?: Banned | null };

  async function act(caseId: string, by: ByStaff, handling: CaseHandling): Promise<Handled> {
    const who = { caseId, staffId: by.userId };
    switch (handling.action) {
      case "claim":
        return { doc: await reports.claim(who) };
      case "release":
        return { doc: await reports.release(who) };
      case "dismiss":
        return { doc: await reports.dismiss(who, handling.note) };
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
      const { doc, banned } = await act(caseId, by, handling);
      const { action } = handling;
      const accountId = doc.subjectUserId;
      const measures = doc.measures.map(({ type }) => type).join(" ");
      audit("report.handled", by, { reportId: caseId, accountId, action, measures });
      if (banned) await sanctions.banned(banned, by);
      return doc;
    },
  };
}

export type ReportHandling = ReturnType<typeof createReportHandling>;
