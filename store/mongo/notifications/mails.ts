import type { ClientSession, Db } from "mongodb";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";
import { byState, holdingIn, type OutboxRow } from "../driver/held-rows.ts";

/** How a mail ended: accepted by the SMTP server, given up, or dropped by its recipient's rate limit for its kind. */
export type MailEnd = "sent" | "given_up" | "limited";

/** A mail in the outbox: the row stays for a while after it was sent, so that the same key isn't sent again. */
export type MailDoc = {
  /** Idempotency key, from the mail's cause. */
  _id: string;
  template: string;
  /** The account that it is about; null for an address without one. */
  userId: string | null;
  /** Recipient and data, sealed (`mailContext`): addresses, and links that are as good as a password. Null once it has ended. */
  sealed: string | null;
  /** `held`: not sent until an operator releases it, since the database was restored; `dropped`: by the operator instead. */
  state: "waiting" | "held" | "dropped" | MailEnd;
  /** Number of started attempts, the current one included. */
  tries: number;
  createdAt: Date;
  /** When the next attempt may start; during an attempt, when that is considered dead (lease). */
  dueAt: Date;
  /** It isn't sent after this; null: as long as it is retried. */
  usefulUntil: Date | null;
  expiresAt: Date;
};

export const mailsCollection = defineCollection<MailDoc>("mails", {
  personal: {
    erase: { userId: "delete" },
    exports: { nothing: "what was sent is in the user's own mailbox" },
  },

  indexes: [
    { key: { tries: 1, dueAt: 1 }, partialFilterExpression: { state: "waiting" } }, // due
    { key: { userId: 1 } }, // erasure, by `personal`
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
});

export function mailsIn(db: Db) {
  const mails = mailsCollection.in(db);
  const batchedFind = batchedFinds(db);
  return {
    /** Idempotent by id. */
    insertOnce: async (doc: MailDoc, session?: ClientSession) =>
      void (await mails.updateOne(
        { _id: doc._id },
        { $setOnInsert: doc },
        { upsert: true, ...(session ? { session } : {}) },
      )),

    /** Fewest attempts first, so that mails that fail again and again delay no others. */
    due: (now: Date, limit: number) =>
      batchedFind(mails, { state: "waiting", dueAt: { $lte: now } }, { sort: { tries: 1, dueAt: 1 }, limit }),

    /** Starts an attempt, leased until `until`; null when another worker was faster. */
    claim: (id: string, now: Date, until: Date) =>
      mails.findOneAndUpdate(
        { _id: id, state: "waiting", dueAt: { $lte: now } },
        { $set: { dueAt: until }, $inc: { tries: 1 } },
        { returnDocument: "after" },
      ),

    ...holdingIn(mailsCollection.in<OutboxRow>(db), { ...byState("sealed"), kind: "$template" }),

    /** Its content is deleted with its end. */
    end: async (id: string, end: MailEnd) =>
      void (await mails.updateOne({ _id: id, state: "waiting" }, { $set: { state: end, sealed: null } })),

    /** Postpones those without a running attempt. */
    standBack: async (ids: string[], now: Date, dueAt: Date) =>
      void (await mails.updateMany(
        { _id: { $in: ids }, state: "waiting", dueAt: { $lte: now } },
        { $set: { dueAt } },
      )),

    later: async (id: string, dueAt: Date) =>
      void (await mails.updateOne({ _id: id, state: "waiting" }, { $set: { dueAt } })),
  };
}
