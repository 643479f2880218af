import { LivecoreError } from "@livecore/client";
import type { Schemas } from "../../site/page-data.ts";
import { Problem } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";

export type Case = Schemas["ReportCase"];
type Handling = Schemas["ReportHandling"];

/** Another staff member was faster: what the page shows is old. */
export class HandledElsewhere extends Problem {}

/** They have decided it, so that nothing is left to decide. */
export class DecidedElsewhere extends HandledElsewhere {}

const send = (caseId: string, body: Handling): Promise<Case> =>
  client.call("handleReport", { path: { report_id: caseId }, body });

/** Claims, releases or decides a case. Rejects with a Problem that says what to do next. */
export const handle = (caseId: string, body: Handling): Promise<Case> =>
  inWords(body, () => send(caseId, body));

/** Decides a case, which takes a claim first; again where the one that the page knows of ran out. */
export async function decide(one: Case, userId: string, body: Handling): Promise<Case> {
  const claim = () => handle(one.id, { action: "claim" });
  if (!isClaimedBy(one, userId)) await claim();
  return inWords(body, async () => {
    try {
      return await send(one.id, body);
    } catch (err) {
      if (!(err instanceof LivecoreError && err.code === "not_claimed")) throw err;
      await claim();
      return send(one.id, body);
    }
  });
}

async function inWords<Answer>(body: Handling, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (err) {
    throw (err instanceof LivecoreError && wordsOf(err, body)) || err;
  }
}

export const isClaimedBy = ({ status, claimed_by }: Case, userId: string): boolean =>
  status === "reviewing" && claimed_by?.id === userId;

export const isUndecided = ({ status }: Pick<Case, "status">): boolean =>
  status === "open" || status === "reviewing";

function wordsOf({ code, details }: LivecoreError, { action }: Handling): Problem | null {
  const { frame, reports } = STAFF_TEXTS;
  if (code === "not_claimed") return new HandledElsewhere(frame.claim.over);
  if (code === "invalid_state" && details.status === "reviewing")
    return new HandledElsewhere(frame.claim.taken);
  if (code === "invalid_state") return new DecidedElsewhere(frame.claim.decided);
  if (code === "forbidden")
    return new Problem(action === "act" ? reports.refusals.protected : reports.refusals.own);
  return null;
}
