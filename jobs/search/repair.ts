import type { Db } from "mongodb";
import type { Log } from "../../store/log.ts";
import { jobCursorsIn } from "../../store/mongo/job-cursors.ts";
import { FIRST, type RepairPosition, repairSearch } from "../../store/mongo/search-repair.ts";

type Repaired = { looked: number; repaired: number };
type Progress = Repaired & { at: RepairPosition };

/** All of it; goes on where a run that died has stopped. */
export async function repairAllSearch(db: Db, now: () => Date, page?: number): Promise<Repaired> {
  const cursor = jobCursorsIn<Progress>(db, "search");
  let progress = (await cursor.find()) ?? { at: FIRST, looked: 0, repaired: 0 };
  for (;;) {
    const { next, looked, repaired } = await repairSearch(db, progress.at, page);
    progress = {
      at: next ?? progress.at,
      looked: progress.looked + looked,
      repaired: progress.repaired + repaired,
    };
    if (next === null) break;
    await cursor.keep(progress, now());
  }
  await cursor.done();
  return { looked: progress.looked, repaired: progress.repaired };
}

export async function runSearchRepair({
  db,
  now,
  log,
}: {
  db: Db;
  now: () => Date;
  log: Log;
}): Promise<void> {
  const { looked, repaired } = await repairAllSearch(db, now);
  log.info({ looked, repaired }, "what is found by searches equals what is there");
}
