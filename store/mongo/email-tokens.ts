import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/**
 * What a link in a mail is good for: to verify the account's address, to replace it by the one that was mailed, to choose a new
 * password, to get an address back that was replaced, to get rid of a second factor that was switched on.
 */
export type EmailTokenPurpose = "verify" | "change" | "reset" | "undo" | "undo_two_factor";

/**
 * A link that was mailed, until it is used. An account has one of a purpose, of `undo` one for each change, and of `reset` one for
 * each mail. `undo_two_factor` goes with the factor that it is for.
 */
export type EmailTokenDoc = {
  /** "purpose:user", so that a new one takes the place of the one before; with the undos and `reset` an id of its own behind it. */
  _id: string;
  /** SHA-256, hex; the token itself is in the mail alone. */
  hash: string;
  purpose: EmailTokenPurpose;
  userId: string;
  /** The address that it was mailed to, and `emailKey` what is compared of it. */
  email: string;
  emailKey: string;
  createdAt: Date;
  expiresAt: Date;
};

const KEPT_SECONDS = 86_400;

export const emailTokensCollection = defineCollection<EmailTokenDoc>("email_tokens", {
  personal: {
    erase: {
      userId: "delete",
      _id: { with: "userId" },
      email: { with: "userId" },
      emailKey: { with: "userId" },
    },
    exports: { nothing: "links that were mailed, each as good as a password" },
  },
  indexes: [
    { key: { hash: 1 }, unique: true },
    { key: { userId: 1, purpose: 1 } }, // remove
    { key: { emailKey: 1 }, partialFilterExpression: { purpose: "undo" } }, // isKeptBack
    // By the server's clock; each read looks at the time itself.
    { key: { expiresAt: 1 }, expireAfterSeconds: KEPT_SECONDS },
  ],
});

export function emailTokensIn(db: Db) {
  const tokens = emailTokensCollection.in(db);
  const usable = (hash: string, purposes: readonly EmailTokenPurpose[], now: Date) => ({
    hash,
    purpose: { $in: [...purposes] },
    expiresAt: { $gt: now },
  });

  return {
    put: async (doc: EmailTokenDoc, session: ClientSession) =>
      void (await tokens.replaceOne({ _id: doc._id }, doc, { upsert: true, session })),

    find: (hash: string, purposes: readonly EmailTokenPurpose[], now: Date) =>
      tokens.findOne(usable(hash, purposes, now)),

    /** Uses it up; null when it isn't good (any more). */
    take: (hash: string, purposes: readonly EmailTokenPurpose[], now: Date, session: ClientSession) =>
      tokens.findOneAndDelete(usable(hash, purposes, now), { session }),

    /** The change that waits for its new address, if there is one. */
    pendingChange: (userId: string, now: Date) =>
      tokens.findOne({ _id: `change:${userId}`, expiresAt: { $gt: now } }),

    remove: async (userId: string, purposes: readonly EmailTokenPurpose[], session: ClientSession) =>
      void (await tokens.deleteMany({ userId, purpose: { $in: [...purposes] } }, { session })),

    /** Links that still undo a change, the oldest first. */
    undosOf: (userId: string, now: Date, limit: number, session: ClientSession) =>
      tokens
        .find({ userId, purpose: "undo", expiresAt: { $gt: now } }, { session })
        .sort({ createdAt: 1 })
        .limit(limit)
        .toArray(),

    /** Links to undo changes of that time or later. */
    removeUndosSince: async (userId: string, since: Date, session: ClientSession) =>
      void (await tokens.deleteMany({ userId, purpose: "undo", createdAt: { $gte: since } }, { session })),

    /** Whether another account may still get that address back. */
    isKeptBack: async (emailKey: string, fromUserId: string, now: Date, session: ClientSession) =>
      (await tokens.countDocuments(
        { emailKey, purpose: "undo", expiresAt: { $gt: now }, userId: { $ne: fromUserId } },
        { limit: 1, session },
      )) > 0,
  };
}

export type EmailTokens = ReturnType<typeof emailTokensIn>;
