import type { ClientSession, Db } from "mongodb";
import { newId } from "../ids.ts";
import { defineCollection } from "./collection.ts";

/** What a payment platform is told after a commit; `platformId` is its own name of what it bills. */
export type PlatformCall =
  /** No further renewal. */
  | { kind: "stop"; platformId: string }
  /** Renewals again. */
  | { kind: "resume"; platformId: string }
  /** Over at once: something else is billed instead, or nothing was paid. */
  | { kind: "end"; platformId: string }
  /** Another price from the next renewal on. */
  | { kind: "changePlan"; platformId: string; tier: number; priceCents: number }
  /** The next renewal comes at that time, Unix ms. */
  | { kind: "postpone"; platformId: string; until: number }
  | { kind: "refund"; platformId: string; amountCents: number };

/** Something that a payment platform has to be told: written with its cause, deleted when the platform has taken it. */
export type PlatformCallDoc = {
  /** Also the platform's idempotency key, with the number of refusals behind it. */
  _id: string;
  /** What is called about; its calls keep their order. */
  subject: string;
  call: PlatformCall;
  createdAt: Date;
  dueAt: Date;
  failures: number;
  /** How often the platform has answered that it won't; the other failures had no answer. */
  refusals?: number;
  /** Set when it has failed too often: somebody has to look. */
  parkedAt: Date | null;
};

export const platformCallsCollection = defineCollection<PlatformCallDoc>("platform_calls", {
  personal: "none",

  indexes: [
    { key: { parkedAt: 1, dueAt: 1 } }, // due
    { key: { subject: 1, _id: 1 } }, // isNext
  ],
});

export function platformCallsIn(db: Db) {
  const calls = platformCallsCollection.in(db);
  return {
    async insert(docs: PlatformCallDoc[], session: ClientSession): Promise<void> {
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
    later: async (id: string, dueAt: Date, isRefused: boolean) =>
      void (await calls.updateOne(
        { _id: id },
        { $set: { dueAt }, $inc: { failures: 1, refusals: isRefused ? 1 : 0 } },
      )),
    /** A call without a cause of ours; the same id again is the same call. */
    insertOnce: async (doc: PlatformCallDoc) =>
      void (await calls.updateOne({ _id: doc._id }, { $setOnInsert: doc }, { upsert: true })),
    park: async (id: string, at: Date) =>
      void (await calls.updateOne({ _id: id }, { $set: { parkedAt: at }, $inc: { failures: 1 } })),
  };
}

/** The rows of these calls; those about one subject are made in the order of their ids. */
export const platformCallDocs = (
  subject: string,
  calls: readonly PlatformCall[],
  now: Date,
): PlatformCallDoc[] =>
  calls.map((call) => ({
    _id: newId(),
    ...{ subject, call, createdAt: now, dueAt: now, failures: 0, parkedAt: null },
  }));
