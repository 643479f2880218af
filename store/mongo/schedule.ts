import { randomInt } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** Of one broadcast that is planned, or of one every week. */
export type ScheduleEntryDoc = {
  _id: string;
  userId: string;
  /** Below `MAX_ENTRIES`, each taken once: so many entries a user has. */
  place: number;
  title: string;
  categoryId: string | null;
  /** The first time, of one that comes every week. */
  startsAt: Date;
  endsAt: Date | null;
  isRecurring: boolean;
  /** A name of the IANA database; by its clock one that comes every week begins. */
  timeZone: string;
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
        shows: ["title", "categoryId", "startsAt", "endsAt", "isRecurring", "timeZone", "createdAt"],
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
    /** In no order, at most `MAX_ENTRIES`. */
    ofUser: (userId: string) => entries.find({ userId }).toArray(),
    /** Null when all are taken. Any of those that are free: many who add at once seldom meet. */
    async freePlace(userId: string, session: ClientSession): Promise<number | null> {
      const known = await entries.find({ userId }, { session, projection: { _id: 0, place: 1 } }).toArray();
      const taken = new Set(known.map(({ place }) => place));
      const free = Array.from({ length: MAX_ENTRIES }, (_, place) => place).filter((one) => !taken.has(one));
      return free.length === 0 ? null : (free[randomInt(free.length)] ?? null);
    },
    /** A place that was taken meanwhile is a duplicate key, or a write conflict. */
    insert: async (doc: ScheduleEntryDoc, session: ClientSession) =>
      void (await entries.insertOne(doc, { session })),
    /** False when it was changed or deleted since it was read. */
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
