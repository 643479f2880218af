import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** How a mail ended: taken by the SMTP server, given up, or left out because its recipient had enough of its kind. */
export type MailEnd = "sent" | "given_up" | "limited";

/** A mail that is to be sent, or was: the row stays for a while, so that the same key is sent once. */
export type MailDoc = {
  /** The cause's own key: a second one of the same cause is the same mail. */
  _id: string;
  template: string;
  /** Whose account it is about; null for an address without one. */
  userId: string | null;
  /** Recipient and data, sealed (`mailContext`): addresses, and links that are as good as a password. Null once it has ended. */
  sealed: string | null;
  state: "waiting" | MailEnd;
  /** Begun tries, the one under way included. */
  tries: number;
  createdAt: Date;
  /** When the next try may begin; while one is under way, when it is taken for dead. */
  dueAt: Date;
  /** Past that it isn't sent any more; null: as long as it is tried. */
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
  return {
    /** The same id again is the same mail. */
    insertOnce: async (doc: MailDoc, session?: ClientSession) =>
      void (await mails.updateOne(
        { _id: doc._id },
        { $setOnInsert: doc },
        { upsert: true, ...(session ? { session } : {}) },
      )),

    /** Those that weren't tried yet come first: who fails again and again holds up no other. */
    due: (now: Date, limit: number) =>
      mails
        .find({ state: "waiting", dueAt: { $lte: now } })
        .sort({ tries: 1, dueAt: 1 })
        .limit(limit)
        .toArray(),

    /** Begins a try, which is taken for dead at `until`; null when another worker was faster. */
    claim: (id: string, now: Date, until: Date) =>
      mails.findOneAndUpdate(
        { _id: id, state: "waiting", dueAt: { $lte: now } },
        { $set: { dueAt: until }, $inc: { tries: 1 } },
        { returnDocument: "after" },
      ),

    /** What it said goes with its end. */
    end: async (id: string, end: MailEnd) =>
      void (await mails.updateOne({ _id: id, state: "waiting" }, { $set: { state: end, sealed: null } })),

    /** Leaves those alone of which a try is under way. */
    standBack: async (ids: string[], now: Date, dueAt: Date) =>
      void (await mails.updateMany(
        { _id: { $in: ids }, state: "waiting", dueAt: { $lte: now } },
        { $set: { dueAt } },
      )),

    later: async (id: string, dueAt: Date) =>
      void (await mails.updateOne({ _id: id, state: "waiting" }, { $set: { dueAt } })),
  };
}
