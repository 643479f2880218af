import type { Db } from "mongodb";
import { FIRST_TAGS, type RenewalPosition, renewTags } from "../../../store/mongo/discovery/tag-renewal.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import type { NightlyDeps } from "../../tasks/nightly-deps.ts";

type Renewal = { looked: number; renewed: number };
type Progress = Renewal & { at: RenewalPosition };

/**
 * Renews the tags that workers of the previous release wrote after the migration. Resumes where a run that died has stopped.
 */
export async function renewAllTags(db: Db, now: () => Date, page?: number): Promise<Renewal> {
  const part = async (before: Progress) => {
    const { next, looked, renewed } = await renewTags(db, before.at, page);
    const sums = { looked: before.looked + looked, renewed: before.renewed + renewed };
    return { progress: { at: next ?? before.at, ...sums }, isLast: next === null };
  };
  const begin: Progress = { at: FIRST_TAGS, looked: 0, renewed: 0 };
  const { looked, renewed } = await jobCursorsIn<Progress>(db, "tags").walk(begin, part, now);
  return { looked, renewed };
}

export async function runTagRenewal({ db, now, log }: NightlyDeps): Promise<void> {
  log.info(await renewAllTags(db, now), "tags renewed");
}
