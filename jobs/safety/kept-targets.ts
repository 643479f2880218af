import { keptTargetsIn } from "../../store/mongo/safety/kept-targets.ts";
import { CASE_KEEPS_MS } from "../chat/deleted-texts/remove.ts";
import type { NightlyDeps } from "../tasks/nightly-deps.ts";

/** Reports per statement. */
const BATCH = 500;

/** Removes what reports keep of their targets, once their cases were decided long ago. Interrupted, the next run continues. */
export async function runKeptTargets({ db, now, log }: NightlyDeps): Promise<void> {
  const kept = keptTargetsIn(db);
  const since = new Date(now().getTime() - CASE_KEEPS_MS);
  let removed = 0;
  // A report is older than the decision about it.
  for await (const batch of kept.before(since, BATCH)) {
    const decided = await kept.decidedAmong([...new Set(batch.map(({ caseId }) => caseId))], since);
    const over = batch.filter(({ caseId }) => decided.has(caseId));
    if (over.length > 0) removed += await kept.remove(over.map(({ _id }) => _id));
  }
  log.info({ removed }, "kept targets of decided cases removed");
}
