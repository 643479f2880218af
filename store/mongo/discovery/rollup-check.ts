/** Compares rollups with the recorded activity, channel by channel: each night, by a command, and after an update. */
import type { Collection, Db, Document } from "mongodb";
import { isMongoUnavailable } from "../../../base/failures/mongo.ts";
import { followChangesCollection } from "../channels/follow-changes.ts";
import { followsCollection } from "../channels/follows.ts";
import { ROLLED_UP_MS } from "../channels/rollup-times.ts";
import { jobCursorsIn } from "../driver/job-cursors.ts";
import { ledgerCollection } from "../points/ledger.ts";
import { channelDaysCollection } from "./channel-days.ts";
import { rollupsIn } from "./rollups.ts";
import { viewershipHoursCollection } from "./viewership-hours.ts";

/** How many hours differed and were recounted, among how many channels; `failures` are some of the channels that failed. */
export type Recounted = { channels: number; hours: number; failures: string[] };
export type RecountProgress = Recounted & { after: string };
type Times = { from: Date; until: Date };

export const NOTHING_RECOUNTED: RecountProgress = { after: "", channels: 0, hours: 0, failures: [] };

/** Examples are enough. */
const MAX_FAILURES = 10;

/**
 * The next channel, by id, that has rollups or anything recorded that they are made of; null after the last. Rollups may be all that is
 * left of a channel: an erased viewer's entries are gone.
 */
export const channelAfter = (db: Db, channel: string): Promise<string | null> =>
  firstOf([
    idAfter(channel, channelDaysCollection.in(db), "channelUserId"),
    idAfter(channel, ledgerCollection.in(db), "channelUserId"),
    idAfter(channel, followChangesCollection.in(db), "channelUserId"),
    idAfter(channel, viewershipHoursCollection.in(db), "channelUserId"),
  ]);

/** The same with follows, of which `follow_changes` may not exist yet. */
export const backfillChannelAfter = (db: Db, channel: string): Promise<string | null> =>
  firstOf([channelAfter(db, channel), idAfter(channel, followsCollection.in(db), "followingId")]);

async function firstOf(ids: readonly Promise<string | null>[]): Promise<string | null> {
  const [first] = (await Promise.all(ids)).filter((id) => id !== null).sort();
  return first ?? null;
}

async function idAfter<Doc extends Document>(
  id: string,
  collection: Collection<Doc>,
  field: string,
): Promise<string | null> {
  const [found] = await collection
    .aggregate<{ id: string }>([
      { $match: { [field]: { $gt: id } } },
      { $sort: { [field]: 1 } },
      { $limit: 1 },
      { $project: { _id: 0, id: `$${field}` } },
    ])
    .toArray();
  return found?.id ?? null;
}

/** Checks the next channel; null after the last. Safe to repeat and to run concurrently. A failing channel stops no other. */
export async function recountNext(
  db: Db,
  before: RecountProgress,
  times: Times,
): Promise<RecountProgress | null> {
  const channel = await channelAfter(db, before.after);
  return channel === null ? null : recounted(db, before, channel, times);
}

async function recounted(
  db: Db,
  before: RecountProgress,
  channel: string,
  { from, until }: Times,
): Promise<RecountProgress> {
  const sums = {
    after: channel,
    channels: before.channels + 1,
    hours: before.hours,
    failures: before.failures,
  };
  try {
    sums.hours += await rollupsIn(db).recount(channel, from, until);
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
    const channel = await backfillChannelAfter(db, progress.after);
    if (channel === null) {
      await cursor.done();
      return progress.hours - begun.hours;
    }
    await addFollowsOfBefore(db, channel, { from, until });
    progress = { ...(await recounted(db, progress, channel, { from, until })), from, until };
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
          channelUserId: { $literal: channelUserId },
          createdAt: "$_id",
          gained: 1,
          lost: { $literal: 0 },
        },
      },
      { $merge: { into: followChangesCollection.name, whenMatched: "keepExisting" } },
    ])
    .toArray();
}
