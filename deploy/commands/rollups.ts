import { processClock } from "../../base/clock.ts";
import { DAY_MS } from "../../base/durations.ts";
import { ROLLED_UP_MS } from "../../store/mongo/channels/rollup-times.ts";
import {
  NOTHING_RECOUNTED,
  type RecountProgress,
  recountNext,
} from "../../store/mongo/discovery/rollup-check.ts";
import { connectForMaintenance } from "../../store/mongo/driver/connect.ts";
import type { Config } from "../processes/config/config.ts";
import { followMongoTime } from "../processes/process/required-clocks.ts";
import { runCommand } from "./command.ts";

const MAX_DAYS = ROLLED_UP_MS / DAY_MS;
const USAGE = `Usage: npm run rollups -- rebuild [--days 1..${MAX_DAYS}]`;

type Order = { days: number };

function orderOf([act, option, value, ...rest]: string[]): Order | null {
  if (act !== "rebuild" || rest.length > 0) return null;
  if (option === undefined) return { days: MAX_DAYS };
  const days = Number(value);
  const isDays = option === "--days" && Number.isInteger(days) && days >= 1 && days <= MAX_DAYS;
  return isDays ? { days } : null;
}

/** Safe while the service runs: the service itself recounts an hour in which somebody writes. */
async function run({ mongo: { url, database } }: Config, { days }: Order): Promise<number> {
  const mongo = await connectForMaintenance({ url, database });
  try {
    await followMongoTime(mongo.db);
    const until = new Date(processClock.now());
    const times = { from: new Date(until.getTime() - days * DAY_MS), until };
    let progress: RecountProgress = NOTHING_RECOUNTED;
    for (let next: RecountProgress | null = progress; next !== null; ) {
      progress = next;
      next = await recountNext(mongo.db, progress, times);
    }
    const { channels, hours, failures } = progress;
    console.log(`${channels} channels were looked at; ${hours} hours differed and were counted anew.`);
    for (const failure of failures) console.error(`Not counted: ${failure}`);
    return failures.length > 0 ? 1 : 0;
  } finally {
    await mongo.close();
  }
}

await runCommand({ usage: USAGE, orderOf }, run);
