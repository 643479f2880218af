import DataLoader from "dataloader";
import type { Db } from "mongodb";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";

/** A report (webhook) of another service, stored before it is acknowledged; each id is accepted once. */
export type HookDoc = {
  /** "source:id". */
  _id: string;
  source: string;
  type: string;
  /** The report as received. */
  event: { id: string; createdAt: Date; data: Record<string, unknown> };
  /** The object that it is about, by which waiting reports are found. */
  subject: string | null;
  state: "received" | "applied" | "waiting" | "set_aside";
  /** Why it was set aside. */
  reason: string | null;
  receivedAt: Date;
  /** When it is retried; for a waiting one, when it has waited for too long. */
  dueAt: Date | null;
  failures: number;
  /** Null: kept until somebody has looked at it. */
  expiresAt: Date | null;
};

export const hooksCollection = defineCollection<HookDoc>("hooks", {
  personal: {
    erase: { event: { keep: "what was received is removed by itself within days" } },
    exports: { nothing: "reports of other services; what they led to is exported" },
  },

  indexes: [
    { key: { source: 1, dueAt: 1 }, partialFilterExpression: { dueAt: { $type: "date" } } }, // due
    { key: { subject: 1 }, partialFilterExpression: { state: "waiting" } }, // wake
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
});

const isDate = { $type: "date" } as const;

export function hooksIn(db: Db) {
  const hooks = hooksCollection.in(db);
  const batchedFind = batchedFinds(db);
  // Commits are batched, so several reports are applied at once. Without majority: if this write is lost, the report is applied
  // again, which is idempotent.
  const applied = new DataLoader<{ id: string; expiresAt: Date }, null>(
    async (done) => {
      const expiresAt = new Date(Math.max(...done.map((one) => one.expiresAt.getTime())));
      await hooks.updateMany(
        { _id: { $in: done.map(({ id }) => id) } },
        { $set: { state: "applied", dueAt: null, expiresAt } },
        { writeConcern: { w: 1 } },
      );
      return done.map(() => null);
    },
    { cache: false, maxBatchSize: 128 },
  );
  return {
    /** False when that id was received before. Durable once it resolves. */
    async receive(doc: HookDoc): Promise<boolean> {
      const { upsertedCount } = await hooks.updateOne(
        { _id: doc._id },
        { $setOnInsert: doc },
        { upsert: true, writeConcern: { w: "majority", journal: true } },
      );
      return upsertedCount > 0;
    },
    find: (id: string) => hooks.findOne({ _id: id }),
    due: (source: string, now: Date, limit: number) =>
      batchedFind(hooks, { source, dueAt: { ...isDate, $lte: now } }, { sort: { dueAt: 1 }, limit }),
    applied: async (id: string, expiresAt: Date) => void (await applied.load({ id, expiresAt })),
    /** Sets an outcome other than `applied`, or lets it wait. */
    settle: async (id: string, change: { state: "waiting" | "set_aside" } & Partial<HookDoc>) =>
      void (await hooks.updateOne({ _id: id }, { $set: { dueAt: null, ...change } })),
    retry: async (id: string, dueAt: Date) =>
      void (await hooks.updateOne({ _id: id }, { $set: { dueAt }, $inc: { failures: 1 } })),
    /** Makes the reports that wait for these subjects due again. */
    wake: async (source: string, subjects: readonly string[], dueAt: Date) =>
      void (await hooks.updateMany(
        { state: "waiting", subject: { $in: [...subjects] }, source },
        { $set: { state: "received", dueAt, expiresAt: null } },
      )),
    /** Due reports about these subjects. */
    ofSubjects: (source: string, subjects: readonly string[], now: Date) =>
      hooks
        .find({ source, dueAt: { ...isDate, $lte: now }, subject: { $in: [...subjects] } })
        .sort({ "event.createdAt": 1 })
        .toArray(),
  };
}
