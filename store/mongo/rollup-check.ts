/** Compares rollups with the recorded activity, channel by channel: each night, by a command, and after an update. */
import type { Collection, Db, Document } from "mongodb";
import { isMongoUnavailable } from "../failures/mongo.ts";
import { followChangesCollection } from "./follow-changes.ts";
import { followsCollection } from "./follows.ts";
import { jobCursorsIn } from "./job-cursors.ts";
import { ledgerCollection } from "./ledger.ts";
import { ROLLED_UP_MS } from "./rollup-times.ts";
import { rollupsIn } from "./rollups.ts";
import { viewershipHoursCollection } from "./viewership-hours.ts";

/** How many hours differed and were recounted, among how many channels; `failures` are some of the channels that failed. */
export type Recounted = { channels: number; hours: number; failures: string[] };
export type RecountProgress = Recounted & { after: string };
type Times = { from: Date; until: Date };

export const NOTHING_RECOUNTED: RecountProgress = { after: "", channels: 0, hours: 0, failures: [] };

/** Examples are enough. */
const MAX_FAILURES = 10;

/** The next channel, by id, of which anything was recorded that figures are made of; null after the last. */
export async function channelAfter(db: Db, channel: string): Promise<string | null> {
  const next = await Promise.all([
    firstAfter(ledgerCollection.in(db), "channelUserId"),
    firstAfter(followChangesCollection.in(db), "channelUserId"),
    firstAfter(viewershipHoursCollection.in(db), "channelUserId"),
    // Follows from before `follow_changes` existed.
    firstAfter(followsCollection.in(db), "followingId"),
  ]);
  const [first] = next.filter((one) => one !== null).sort();
  return first ?? null;

  async function firstAfter<Doc extends Document>(
    of: Collection<Doc>,
    field: string,
  ): Promise<string | null> {
    const [found] = await of
      .aggregate<{ id: string }>([
        { $match: { [field]: { $gt: channel } } },
        { $sort: { [field]: 1 } },
        { $limit: 1 },
        { $project: { _id: 0, id: `$${field}` } },
      ])
      .toArray();
    return found?.id ?? null;
  }
}

/** Checks the next channel; null after the last. Safe to repeat and to run concurrently. A failing channel stops no other. */
export async function recountNext(
  db: Db,
  before: RecountProgress,
  { from, until }: Times,
): Promise<RecountProgress | null> {
  const rollups = rollupsIn(db);
  const channel = await channelAfter(db, before.after);
  if (channel === null) return null;
  const sums = {
    after: channel,
    channels: before.channels + 1,
    hours: before.hours,
    failures: before.failures,
  };
  try {
    sums.hours += await rollups.recount(channel, from, until);
  } catch (err) {
    if (isMongoUnavailable(err)) throw err;
    sums.failures = [...sums.failures, `${channel}: ${err}`].slice(0, MAX_FAILURES);
  }
  return sums;
}

/** Channels per run, in addition to what is due. */
const CHANNELS_PER_RUN = 50;

const cursorOfBefore = (db: Db) => jobCursorsIn<RecountProgress & Times>(db, "analytics-of-before");

/** Leaves a cursor for activity that predates rollups, which `runBackfill` counts. */
export async function startBackfill(db: Db, now: Date): Promise<void> {
  const times = { from: new Date(now.getTime() - ROLLED_UP_MS), until: now };
  await cursorOfBefore(db).keep({ ...NOTHING_RECOUNTED, ...times }, now);
}

/** Counts a batch; returns how many hours it was. */
export async function runBackfill(db: Db, now: Date, most = CHANNELS_PER_RUN): Promise<number> {
  const cursor = cursorOfBefore(db);
  const begun = await cursor.find();
  if (begun === null) return 0;
  let progress: RecountProgress & Times = begun;
  for (let i = 0; i < most; i++) {
    const { from, until } = progress;
    const channel = await channelAfter(db, progress.after);
    if (channel !== null) await addFollowsOfBefore(db, channel, { from, until });
    const next = await recountNext(db, progress, { from, until });
    if (next === null) {
      await cursor.done();
      return progress.hours - begun.hours;
    }
    progress = { ...next, from, until };
    await cursor.keep(progress, now);
  }
  return progress.hours - begun.hours;
}

/** Existing follows have a start; ended ones left no trace. Written per hour, once. */
async function addFollowsOfBefore(db: Db, channelUserId: string, { from, until }: Times): Promise<void> {
  await followsCollection
    .in(db)
    .aggregate([
      { $match: { followingId: channelUserId, createdAt: { $gte: from, $lt: until } } },
      { $group: { _id: { $dateTrunc: { date: "$createdAt", unit: "hour" } }, gained: { $sum: 1 } } },
      {
        $project: {
          _id: { $concat: ["before:", channelUserId, ":", { $toString: { $toLong: "$_id" } }] },
          ...{ channelUserId: { $literal: channelUserId }, createdAt: "$_id" },
          ...{ gained: 1, lost: { $literal: 0 } },
        },
      },
      { $merge: { into: followChangesCollection.name, whenMatched: "keepExisting" } },
    ])
    .toArray();
}
