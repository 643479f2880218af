import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** Something that a payment platform has to be told: written with its cause, deleted when the platform has taken it. */
export type PlatformCallDoc<Call = unknown> = {
  /** Also the platform's idempotency key. */
  _id: string;
  /** What is called about; its calls keep their order. */
  subject: string;
  call: Call;
  createdAt: Date;
  dueAt: Date;
  failures: number;
  /** Set when it has failed too often: somebody has to look. */
  parkedAt: Date | null;
};

export const platformCallsCollection = defineCollection<PlatformCallDoc>("platform_calls", {
  indexes: [
    { key: { parkedAt: 1, dueAt: 1 } }, // due
    { key: { subject: 1, _id: 1 } }, // isNext
  ],
});

export function platformCallsIn<Call>(db: Db) {
  const calls = platformCallsCollection.in<PlatformCallDoc<Call>>(db);
  return {
    async insert(docs: PlatformCallDoc<Call>[], session: ClientSession): Promise<void> {
      if (docs.length > 0) await calls.insertMany(docs, { session });
    },
    due: (now: Date, limit: number) =>
      calls
        .find({ parkedAt: null, dueAt: { $lte: now } })
        .sort({ dueAt: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    /** Whether nothing older about the same subject is waiting, parked ones left out. */
    isNext: async ({ _id, subject }: Pick<PlatformCallDoc, "_id" | "subject">) =>
      (await calls.countDocuments({ subject, _id: { $lt: _id }, parkedAt: null }, { limit: 1 })) === 0,
    done: async (id: string) => void (await calls.deleteOne({ _id: id })),
    later: async (id: string, dueAt: Date) =>
      void (await calls.updateOne({ _id: id }, { $set: { dueAt }, $inc: { failures: 1 } })),
    park: async (id: string, at: Date) =>
      void (await calls.updateOne({ _id: id }, { $set: { parkedAt: at }, $inc: { failures: 1 } })),
  };
}
