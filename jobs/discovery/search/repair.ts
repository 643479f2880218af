import type { Db } from "mongodb";
import { FIRST, type RepairPosition, repairSearch } from "../../../store/mongo/discovery/search-repair.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import type { NightlyDeps } from "../../tasks/nightly-deps.ts";

type Repaired = { looked: number; repaired: number };
type Progress = Repaired & { at: RepairPosition };

/** Repairs the whole search index; resumes where a run that died has stopped. */
export async function repairAllSearch(db: Db, now: () => Date, page?: number): Promise<Repaired> {
  const part = async (before: Progress) => {
    const { next, looked, repaired } = await repairSearch(db, before.at, page);
    const sums = { looked: before.looked + looked, repaired: before.repaired + repaired };
    return { progress: { at: next ?? before.at, ...sums }, isLast: next === null };
  };
  const begin: Progress = { at: FIRST, looked: 0, repaired: 0 };
  const { looked, repaired } = await jobCursorsIn<Progress>(db, "search").walk(begin, part, now);
  return { looked, repaired };
}

export async function runSearchRepair({ db, now, log }: NightlyDeps): Promise<void> {
  const { looked, repaired } = await repairAllSearch(db, now);
  log.info({ looked, repaired }, "what is found by searches equals what is there");
}
