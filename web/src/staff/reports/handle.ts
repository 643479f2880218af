import { LivecoreError } from "@livecore/client";
import type { Schemas } from "../../site/page-data.ts";
import { Problem } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";

export type Case = Schemas["ReportCase"];
type Handling = Schemas["ReportHandling"];

/** Another staff member was faster: what the page shows is old. */
export class HandledElsewhere extends Problem {}

/** Claims, releases or decides a case. Rejects with a Problem that says what to do next. */
export async function handle(caseId: string, body: Handling): Promise<Case> {
  try {
    return await client.call("handleReport", { path: { report_id: caseId }, body });
  } catch (err) {
    throw (err instanceof LivecoreError && wordsOf(err, body)) || err;
  }
}

/** Decides a case, which takes a claim first. */
export async function decide(one: Case, userId: string, body: Handling): Promise<Case> {
  if (!isClaimedBy(one, userId)) await handle(one.id, { action: "claim" });
  return handle(one.id, body);
}

export const isClaimedBy = ({ status, claimed_by }: Case, userId: string): boolean =>
  status === "reviewing" && claimed_by?.id === userId;

export const isUndecided = ({ status }: Pick<Case, "status">): boolean =>
  status === "open" || status === "reviewing";

function wordsOf({ code, details }: LivecoreError, { action }: Handling): Problem | null {
  const { frame, reports } = STAFF_TEXTS;
  if (code === "not_claimed") return new HandledElsewhere(frame.claim.taken);
  if (code === "invalid_state")
    return new HandledElsewhere(details.status === "reviewing" ? frame.claim.taken : frame.claim.decided);
  if (code === "forbidden")
    return new Problem(action === "act" ? reports.refusals.protected : reports.refusals.own);
  return null;
}
