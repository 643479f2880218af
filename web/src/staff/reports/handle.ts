import { LivecoreError } from "@livecore/client";
import type { Schemas } from "../../site/page-data.ts";
import { Problem } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";

export type Case = Schemas["ReportCase"];
type Handling = Schemas["ReportHandling"];

/** Another staff member was faster, or an earlier try whose answer was lost: what the page shows is old. */
export class HandledBefore extends Problem {}

/** It is decided, so that nothing is left to decide. */
export class DecidedBefore extends HandledBefore {}

const send = (caseId: string, body: Handling): Promise<Case> =>
  client.call("handleReport", { path: { report_id: caseId }, body });

/** Claims, releases or decides a case. Rejects with a Problem that says what to do next. */
export const handle = (caseId: string, userId: string, body: Handling): Promise<Case> =>
  inWords({ caseId, userId, body }, () => send(caseId, body));

/** Decides a case, which takes a claim first; again where the one that the page knows of ran out. */
export async function decide(one: Case, userId: string, body: Handling): Promise<Case> {
  const claim = () => handle(one.id, userId, { action: "claim" });
  if (!isClaimedBy(one, userId)) await claim();
  return inWords({ caseId: one.id, userId, body }, async () => {
    try {
      return await send(one.id, body);
    } catch (err) {
      if (!(err instanceof LivecoreError && err.code === "not_claimed")) throw err;
      await claim();
      return send(one.id, body);
    }
  });
}

type Handled = { caseId: string; userId: string; body: Handling };

async function inWords<Answer>(handled: Handled, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (err) {
    throw (err instanceof LivecoreError && (await wordsOf(err, handled))) || err;
  }
}

export const isClaimedBy = ({ status, claimed_by }: Case, userId: string): boolean =>
  status === "reviewing" && claimed_by?.id === userId;

export const isUndecided = ({ status }: Pick<Case, "status">): boolean =>
  status === "open" || status === "reviewing";

async function wordsOf({ code, details }: LivecoreError, handled: Handled): Promise<Problem | null> {
  const { frame, reports } = STAFF_TEXTS;
  if (code === "not_claimed") return new HandledBefore(frame.claim.over);
  if (code === "invalid_state" && details.status === "reviewing") return new HandledBefore(frame.claim.taken);
  if (code === "invalid_state") return new DecidedBefore(await decidedWords(handled));
  if (code === "forbidden")
    return new Problem(handled.body.action === "act" ? reports.refusals.protected : reports.refusals.own);
  return null;
}

/** Who has decided it: an answer that was lost doesn't make it another's decision. */
async function decidedWords({ caseId, userId }: Handled): Promise<string> {
  const { claim } = STAFF_TEXTS.frame;
  const answer = await client.attempt("getReport", { path: { report_id: caseId } }).catch(() => null);
  if (!answer?.ok) return claim.decided;
  return answer.data.decided_by?.id === userId ? claim.decidedBefore : claim.decidedByOther;
}
