import type { Db } from "mongodb";
import { type CheckPage, checkFollowerCounts } from "../../../store/mongo/channels/follower-count-check.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import type { NightlyDeps } from "../../tasks/nightly-deps.ts";

type RepairReport = { channels: number; mended: number };
type Progress = RepairReport & { after: string };

/**
 * Corrects the counts that differ from their follows: those of workers of a release that didn't count yet, or of rows that
 * somebody changed by hand. Resumes where a run that died has stopped.
 */
export async function repairFollowerCounts(db: Db, now: () => Date, page?: CheckPage): Promise<RepairReport> {
  const part = async (before: Progress) => {
    const { channels, corrected, after } = await checkFollowerCounts(db, before.after, page);
    const sums = { channels: before.channels + channels, mended: before.mended + corrected };
    return { progress: { after: after ?? before.after, ...sums }, isLast: after === null };
  };
  const begin: Progress = { after: "", channels: 0, mended: 0 };
  const { channels, mended } = await jobCursorsIn<Progress>(db, "follower-counts").walk(begin, part, now);
  return { channels, mended };
}

export async function runFollowerCounts({ db, now, log }: NightlyDeps): Promise<void> {
  const { channels, mended } = await repairFollowerCounts(db, now);
  if (mended > 0) log.warn({ channels, mended }, "follower counts were mended");
  else log.info({ channels }, "every follower count equals its follows");
}
