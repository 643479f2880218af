import { randomInt } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** A planned broadcast, single or weekly. */
export type ScheduleEntryDoc = {
  _id: string;
  userId: string;
  /** Slot number below `MAX_ENTRIES`, unique per user: it limits a user's entries. */
  place: number;
  title: string;
  categoryId: string | null;
  /** For a weekly one the first time. */
  startsAt: Date;
  endsAt: Date | null;
  isRecurring: boolean;
  /** IANA time zone, in whose local time a weekly one starts. */
  timeZone: string;
  /** These three are of weekly ones alone and absent in older entries. Days are those of its clock ("2026-12-24"). */
  lastDay?: string | null;
  /** Both days are in it; `until` null: it lasts until further notice. */
  pause?: { from: string; until: string | null } | null;
  /** At most `MAX_EXCEPTIONS` single weeks, by the day on which they would start: skipped (null), or moved. */
  exceptions?: { day: string; movedTo: Date | null }[];
  createdAt: Date;
  changedAt: Date;
};

export const MAX_ENTRIES = 100;

export const scheduleCollection = defineCollection<ScheduleEntryDoc>("schedule", {
  personal: {
    erase: { userId: "delete" },
    exports: [
      {
        by: "userId",
        shows: [
          ...(["title", "categoryId", "startsAt", "endsAt", "isRecurring", "timeZone", "createdAt"] as const),
          ...(["lastDay", "pause", "exceptions"] as const),
        ],
      },
    ],
  },

  indexes: [
    { key: { userId: 1, place: 1 }, unique: true }, // ofUser, freePlace
    // Of a category that is removed.
    { key: { categoryId: 1 }, partialFilterExpression: { categoryId: { $type: "string" } } },
  ],
});

export function scheduleIn(db: Db) {
  const entries = scheduleCollection.in(db);
  return {
    find: (userId: string, id: string, session?: ClientSession) =>
      entries.findOne({ _id: id, userId }, session ? { session } : {}),
    /** In no particular order, at most `MAX_ENTRIES`. */
    ofUser: (userId: string) => entries.find({ userId }).toArray(),
    /** A random free slot, so that concurrent inserts rarely conflict; null when all are taken. */
    async freePlace(userId: string, session: ClientSession): Promise<number | null> {
      const known = await entries.find({ userId }, { session, projection: { _id: 0, place: 1 } }).toArray();
      const taken = new Set(known.map(({ place }) => place));
      const free = Array.from({ length: MAX_ENTRIES }, (_, place) => place).filter((one) => !taken.has(one));
      return free.length === 0 ? null : (free[randomInt(free.length)] ?? null);
    },
    /** A slot that was taken in the meantime causes a duplicate key or a write conflict. */
    insert: async (doc: ScheduleEntryDoc, session: ClientSession) =>
      void (await entries.insertOne(doc, { session })),
    /** False when it was changed or deleted since it was read (optimistic lock). */
    async replace(doc: ScheduleEntryDoc, readAt: Date): Promise<boolean> {
      const { _id, userId } = doc;
      return (await entries.replaceOne({ _id, userId, changedAt: readAt }, doc)).matchedCount > 0;
    },
    remove: async (userId: string, id: string): Promise<boolean> =>
      (await entries.deleteOne({ _id: id, userId })).deletedCount > 0,
    removeAll: async (userId: string, session: ClientSession) =>
      void (await entries.deleteMany({ userId }, { session })),
  };
}
