import { newId } from "../../base/ids.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { MeasureDoc, ReportCaseDoc } from "../../store/mongo/safety/reports.ts";
import type { AuditTrail, Banned } from "../accounts/public.ts";
import type { CaseHandler, Reports } from "./report/reports.ts";
import type { ByStaff, Sanctions } from "./sanctions.ts";

type Deps = { reports: Reports; sanctions: Pick<Sanctions, "banned">; auditTrail: AuditTrail };

/** What staff do about a case. */
export type CaseHandling =
  | { action: "claim" | "release" }
  | { action: "dismiss"; note: string | null }
  | { action: "act"; measures: Omit<MeasureDoc, "id">[]; note: string | null };

/** How staff handle the queue of reports. Each action is audited, and a resulting ban is enforced before the answer. */
export function createReportHandling({ reports, sanctions, auditTrail }: Deps) {
  type Handled = { doc: ReportCaseDoc; banned?: Banned | null };

  async function act(
    { streamId, _id: caseId }: ReportCaseDoc,
    who: Omit<CaseHandler, "caseId">,
    handling: CaseHandling,
  ): Promise<Handled> {
    const whose = { ...who, caseId };
    switch (handling.action) {
      case "claim":
        return { doc: await reports.claim(whose) };
      case "release":
        return { doc: await reports.release(whose) };
      case "dismiss":
        return { doc: await reports.dismiss(whose, handling.note) };
      case "act": {
        const measures = handling.measures.map((one) => ({
          ...one,
          id: newId(),
          streamId: one.type === "chat_ban" ? (one.streamId ?? streamId) : null,
        }));
        return reports.act(whose, measures, handling.note);
      }
    }
  }

  return {
    /** `id`: the case's, or that of one of its reports. */
    async handle(id: string, by: ByStaff, handling: CaseHandling): Promise<ReportCaseDoc> {
      const found = await reports.require(id);
      const { action } = handling;
      const types = action === "act" ? handling.measures.map(({ type }) => type) : [];
      const about = {
        reportId: found._id,
        accountId: found.subjectUserId,
        action,
        measures: types.join(" "),
      };
      const who = { staffId: by.userId, key: newId() };
      const intent = await auditTrail.intend(reports.keyOf(who, action), "report.handled", by, about);
      const { doc, banned } = await act(found, who, handling).catch((err: unknown) => {
        // For any other error it is unknown whether the action happened.
        if (err instanceof ServiceError && err.status < 500) intent.refused();
        throw err;
      });
      intent.done();
      if (banned) await sanctions.banned(banned, by);
      return doc;
    },
  };
}
