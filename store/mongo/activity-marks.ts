/**
 * Which hours of a channel can't be taken from its rollups, since something of them is being written, or was a short while
 * ago. However late or early what happened is written, and however long a process sleeps:
 * 1. whoever writes makes sure that the hour's mark was touched within FRESH_MS, in the transaction but not as a part of it,
 *    and after its first statement: the server ends transactions after a minute, so it is committed by FRESH_MS and that minute;
 * 2. an hour is counted when its mark hasn't been touched for SETTLED_MS: all that was written under it is seen then;
 * 3. its figures are kept in the transaction that removes the mark as it was read. Touched meanwhile, nothing happens.
 * So an hour without a mark is in the rollups, all of it. Touches are dated by the server, whatever clocks say.
 */
import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";
import { hourOf } from "./rollup-times.ts";

/** `_id` is "channel:hour". */
export type ActivityMarkDoc = { _id: string; channelUserId: string; hour: Date; touchedAt: Date };

/** What happened in a channel, and when. */
export type Happening = { channelUserId: string; at: Date };

/** For so long a process relies on its last touch. */
const FRESH_MS = 5 * 60_000;
/** FRESH_MS, the longest transaction, and as much again. */
export const SETTLED_MS = 10 * 60_000;
/** Hours that a process keeps in mind. */
const KEPT = 20_000;
/** Of marks that nobody writes under. */
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

/** What this process has touched lately. Room is made by forgetting: it is touched again then. */
function touchesOf(db: Db): Map<string, Touch> {
  const known = touchesBy.get(db) ?? new Map<string, Touch>();
  if (known.size > KEPT) known.clear();
  touchesBy.set(db, known);
  return known;
}

/** As after FRESH_MS, for specs that don't wait for so long. */
export const forgetTouches = (db: Db): void => touchesOf(db).clear();

/** In a transaction that has begun, before it is committed, of everything of which figures are made. */
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
    /** The hours of a channel that aren't in its rollups, from that one on. */
    since: async (channelUserId: string, hour: Date): Promise<Date[]> =>
      (await marks.find({ channelUserId, hour: { $gte: hour } }, { projection: { hour: 1 } }).toArray()).map(
        (mark) => mark.hour,
      ),

    /** Those that were touched longest ago, once it is so long. */
    settled: (limit: number, settledMs: number): Promise<ActivityMarkDoc[]> =>
      marks
        .aggregate<ActivityMarkDoc>([
          { $sort: { touchedAt: 1 } },
          { $limit: limit },
          { $match: { $expr: { $lte: ["$touchedAt", { $subtract: ["$$NOW", settledMs] }] } } },
        ])
        .toArray(),

    /** Marks hours to be counted at once; answers with the marks of those that nobody writes in. */
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

    /** Removes those that are as they were read, and answers with them. */
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
