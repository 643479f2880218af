import type { ClientSession, Db } from "mongodb";
import { newId } from "../../../base/ids.ts";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";
import { HELD_SINCE, holdingIn, type OutboxRow } from "../driver/held-rows.ts";

/** A call to a payment platform after a commit; `platformId` is the platform's own id of what it bills. */
export type PlatformCall =
  /** Stops further renewals. */
  | { kind: "stop"; platformId: string }
  /** Resumes renewals. */
  | { kind: "resume"; platformId: string }
  /** Ends it at once: something else is billed instead, or nothing was paid. */
  | { kind: "end"; platformId: string }
  /** A new price from the next renewal on. */
  | { kind: "changePlan"; platformId: string; tier: number; priceCents: number }
  /** Postpones the next renewal to that time, Unix ms. */
  | { kind: "postpone"; platformId: string; until: number }
  | { kind: "refund"; platformId: string; amountCents: number };

/** A call in the outbox for a payment platform: written with its cause, deleted when the platform has accepted it. */
export type PlatformCallDoc = {
  /** Also the platform's idempotency key, with the number of refusals appended. */
  _id: string;
  /** The object of the call; calls about one object keep their order. */
  subject: string;
  call: PlatformCall;
  createdAt: Date;
  dueAt: Date;
  failures: number;
  /** How often the platform has refused; the other failures had no reply. */
  refusals?: number;
  /** Set when it has failed too often (dead letter): somebody has to look at it. */
  parkedAt: Date | null;
  /** Since when it waits for an operator, since the database was restored: it counts as parked, but still keeps its place. */
  heldAt?: Date;
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
  const batchedFind = batchedFinds(db);
  return {
    async insert(docs: PlatformCallDoc[], session: ClientSession): Promise<void> {
      if (docs.length > 0) await calls.insertMany(docs, { session });
    },
    due: (now: Date, limit: number) =>
      batchedFind(calls, { parkedAt: null, dueAt: { $lte: now } }, { sort: { dueAt: 1, _id: 1 }, limit }),
    /** Whether no older call about the same subject is waiting, parked ones excluded, held ones not. */
    isNext: async ({ _id, subject }: Pick<PlatformCallDoc, "_id" | "subject">) =>
      (await calls.countDocuments(
        { subject, _id: { $lt: _id }, $or: [{ parkedAt: null }, HELD_SINCE] },
        { limit: 1 },
      )) === 0,
    ...holdingIn(platformCallsCollection.in<OutboxRow>(db), {
      waiting: { parkedAt: null },
      held: HELD_SINCE,
      hold: (at) => ({ $set: { parkedAt: at, heldAt: at } }),
      release: (dueAt) => ({ $set: { parkedAt: null, dueAt }, $unset: { heldAt: "" } }),
      drop: null,
      kind: { $concat: ["$call.kind", " ", "$subject"] },
    }),
    done: async (id: string) => void (await calls.deleteOne({ _id: id })),
    postpone: async (id: string, dueAt: Date) =>
      void (await calls.updateOne({ _id: id, parkedAt: null }, { $set: { dueAt } })),
    later: async (id: string, dueAt: Date, isRefused: boolean) =>
      void (await calls.updateOne(
        { _id: id },
        { $set: { dueAt }, $inc: { failures: 1, refusals: isRefused ? 1 : 0 } },
      )),
    /** A call that isn't caused by a commit; idempotent by id. */
    insertOnce: async (doc: PlatformCallDoc) =>
      void (await calls.updateOne({ _id: doc._id }, { $setOnInsert: doc }, { upsert: true })),
    park: async (id: string, at: Date) =>
      void (await calls.updateOne({ _id: id }, { $set: { parkedAt: at }, $inc: { failures: 1 } })),
  };
}

/** Rows for these calls; calls about one subject are executed in the order of their ids. */
export const platformCallDocs = (
  subject: string,
  calls: readonly PlatformCall[],
  now: Date,
): PlatformCallDoc[] =>
  calls.map((call) => ({
    _id: newId(),
    subject,
    call,
    createdAt: now,
    dueAt: now,
    failures: 0,
    parkedAt: null,
  }));
