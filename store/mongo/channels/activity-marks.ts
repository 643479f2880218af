/**
 * Which hours of a channel can't be taken from its rollups, since something in them is being written, or was a short while
 * ago. This holds however late or early events are written, and however long a process is suspended:
 * 1. a writer makes sure that the hour's mark was touched within FRESH_MS; it does so during the transaction but outside of it,
 *    after the first statement. The server aborts transactions after a minute, so the commit is at most FRESH_MS plus a minute
 *    after the touch;
 * 2. an hour is counted once its mark hasn't been touched for SETTLED_MS: everything written under it is visible then;
 * 3. its sums are stored in the transaction that removes the mark as it was read. If it was touched since, nothing is stored.
 * So an hour without a mark is completely in the rollups. Touches have the server's time, so clock skew doesn't matter.
 */
import type { ClientSession, Db } from "mongodb";
import { MINUTE_MS } from "../../../base/durations.ts";
import { defineCollection } from "../driver/collection.ts";
import { hourOf } from "./rollup-times.ts";

/** `_id` is "channel:hour". */
export type ActivityMarkDoc = { _id: string; channelUserId: string; hour: Date; touchedAt: Date };

/** An event in a channel, and its time. */
type Happening = { channelUserId: string; at: Date };

/** How long a process relies on its last touch. */
const FRESH_MS = 5 * MINUTE_MS;
/** FRESH_MS, the longest transaction, and as much again. */
export const SETTLED_MS = 10 * MINUTE_MS;
/** How many hours a process caches touches for. */
const MAX_CACHED = 20_000;
/** `touchedAt` of marks that nobody writes under. */
const LONG_AGO = new Date(0);

export const activityMarksCollection = defineCollection<ActivityMarkDoc>("activity_marks", {
  personal: {
    erase: { channelUserId: "delete", _id: { with: "channelUserId" } },
    exports: { nothing: "it says what is counted anew, and goes within minutes" },
  },

  indexes: [
    { key: { channelUserId: 1, hour: 1 } }, // since
    { key: { touchedAt: 1 } }, // settled
  ],
});

const idOf = (channelUserId: string, hour: Date) => `${channelUserId}:${hour.getTime()}`;

type Touch = { at: number; done: Promise<unknown> };
const touchesBy = new WeakMap<Db, Map<string, Touch>>();

/** Recent touches of this process. The cache is cleared when full: then marks are touched again. */
function touchesOf(db: Db): Map<string, Touch> {
  const known = touchesBy.get(db) ?? new Map<string, Touch>();
  if (known.size > MAX_CACHED) known.clear();
  touchesBy.set(db, known);
  return known;
}

/** Like the expiry of FRESH_MS, for specs that can't wait for it. */
export const forgetTouches = (db: Db): void => touchesOf(db).clear();

/** Call it in a transaction, after its first statement and before its commit, for everything that rollups count. */
export async function touchActivity(db: Db, happenings: readonly Happening[]): Promise<void> {
  const touches = touchesOf(db);
  const now = performance.now();
  const due = new Map<string, Omit<ActivityMarkDoc, "_id" | "touchedAt">>();
  const waited: Promise<unknown>[] = [];
  for (const { channelUserId, at } of happenings) {
    const hour = hourOf(at);
    const _id = idOf(channelUserId, hour);
    const touch = touches.get(_id);
    if (touch && now - touch.at < FRESH_MS) waited.push(touch.done);
    else due.set(_id, { channelUserId, hour });
  }
  if (due.size > 0) {
    const each = [...due].map(([_id, own]) => ({
      updateOne: {
        filter: { _id },
        update: { $setOnInsert: own, $currentDate: { touchedAt: true as const } },
        upsert: true,
      },
    }));
    const done = activityMarksCollection.in(db).bulkWrite(each, { ordered: false });
    for (const _id of due.keys()) touches.set(_id, { at: now, done });
    waited.push(
      done.catch((err: unknown) => {
        for (const _id of due.keys()) if (touches.get(_id)?.done === done) touches.delete(_id);
        throw err;
      }),
    );
  }
  await Promise.all(waited);
}

export function activityMarksIn(db: Db) {
  const marks = activityMarksCollection.in(db);
  return {
    /** Hours of a channel from `hour` on that aren't in its rollups. */
    since: async (channelUserId: string, hour: Date): Promise<Date[]> =>
      (await marks.find({ channelUserId, hour: { $gte: hour } }, { projection: { hour: 1 } }).toArray()).map(
        (mark) => mark.hour,
      ),

    /** Marks that weren't touched for `settledMs`, oldest first. */
    settled: (limit: number, settledMs: number): Promise<ActivityMarkDoc[]> =>
      marks
        .aggregate<ActivityMarkDoc>([
          { $sort: { touchedAt: 1 } },
          { $limit: limit },
          { $match: { $expr: { $lte: ["$touchedAt", { $subtract: ["$$NOW", settledMs] }] } } },
        ])
        .toArray(),

    /** Marks hours to be counted at once; returns the marks of those that nobody is writing in. */
    async markSettled(channelUserId: string, hours: readonly Date[]): Promise<ActivityMarkDoc[]> {
      const ids = hours.map((hour) => idOf(channelUserId, hour));
      if (ids.length === 0) return [];
      await marks.bulkWrite(
        hours.map((hour) => ({
          updateOne: {
            filter: { _id: idOf(channelUserId, hour) },
            update: { $setOnInsert: { channelUserId, hour, touchedAt: LONG_AGO } },
            upsert: true,
          },
        })),
      );
      return marks.find({ _id: { $in: ids }, touchedAt: LONG_AGO }).toArray();
    },

    /** Removes marks that are unchanged since they were read, and returns them. */
    async take(read: readonly ActivityMarkDoc[], session: ClientSession): Promise<ActivityMarkDoc[]> {
      const taken: ActivityMarkDoc[] = [];
      for (const mark of read) {
        const { _id, touchedAt } = mark;
        const { deletedCount } = await marks.deleteOne({ _id, touchedAt }, { session });
        if (deletedCount > 0) taken.push(mark);
      }
      return taken;
    },
  };
}
