import type { Db } from "mongodb";
import { DAY_MS } from "../../../base/durations.ts";
import {
  NOTHING_RECOUNTED,
  type Recounted,
  type RecountProgress,
  recountNext,
} from "../../../store/mongo/discovery/rollup-check.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import type { NightlyDeps } from "../../tasks/nightly-deps.ts";

/** What may differ are entries of a worker of an older release, which leaves no marks. Older hours: `npm run rollups -- rebuild`. */
const CHECKED_MS = 2 * DAY_MS;

/** Recounts the hours of the last days that differ from the recorded entries. Resumes where a run that died has stopped. */
export async function checkRollups(db: Db, now: () => Date): Promise<Recounted> {
  const until = now();
  const from = new Date(until.getTime() - CHECKED_MS);
  const part = async (before: RecountProgress) => {
    const next = await recountNext(db, before, { from, until });
    return { progress: next ?? before, isLast: next === null };
  };
  const cursor = jobCursorsIn<RecountProgress>(db, "rollups");
  const { channels, hours, failures } = await cursor.walk(NOTHING_RECOUNTED, part, now);
  return { channels, hours, failures };
}

export async function runRollupCheck({ db, now, log }: NightlyDeps): Promise<void> {
  const recounted = await checkRollups(db, now);
  if (recounted.failures.length > 0)
    log.error(recounted, "some channels could not be held against what was written down");
  if (recounted.hours > 0) log.warn(recounted, "hours of rollups differed and were counted anew");
  else log.info(recounted, "every hour of the rollups is what was written down");
}
