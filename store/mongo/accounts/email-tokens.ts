import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/**
 * What a mailed link does: verify the account's address, replace it by the one that was mailed, reset the password, restore an
 * address that was replaced, remove a second factor that was switched on.
 */
export type EmailTokenPurpose = "verify" | "change" | "reset" | "undo" | "undo_two_factor";

/**
 * A mailed link, until it is used. An account has one per purpose, but one of `undo` for each change, and one of `reset` for each
 * mail. `undo_two_factor` is removed with the factor that it is for.
 */
export type EmailTokenDoc = {
  /** "purpose:user", so that a new one replaces the previous one; the undos and `reset` have a unique id appended. */
  _id: string;
  /** SHA-256, hex; the token itself is only in the mail. */
  hash: string;
  purpose: EmailTokenPurpose;
  userId: string;
  /** The address that it was mailed to; `emailKey` is its normalised form. */
  email: string;
  emailKey: string;
  createdAt: Date;
  expiresAt: Date;
};

const TTL_SECONDS = 86_400;

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
    // By the server's clock, and late; each read checks the time itself.
    { key: { expiresAt: 1 }, expireAfterSeconds: TTL_SECONDS },
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

    /** Consumes it; null when it isn't valid (any more). */
    take: (hash: string, purposes: readonly EmailTokenPurpose[], now: Date, session: ClientSession) =>
      tokens.findOneAndDelete(usable(hash, purposes, now), { session }),

    /** The pending change of address, if there is one. */
    pendingChange: (userId: string, now: Date) =>
      tokens.findOne({ _id: `change:${userId}`, expiresAt: { $gt: now } }),

    remove: async (userId: string, purposes: readonly EmailTokenPurpose[], session: ClientSession) =>
      void (await tokens.deleteMany({ userId, purpose: { $in: [...purposes] } }, { session })),

    /** Links that can still undo a change, oldest first. */
    undosOf: (userId: string, now: Date, limit: number, session: ClientSession) =>
      tokens
        .find({ userId, purpose: "undo", expiresAt: { $gt: now } }, { session })
        .sort({ createdAt: 1 })
        .limit(limit)
        .toArray(),

    /** Removes links that undo changes made at that time or later. */
    removeUndosSince: async (userId: string, since: Date, session: ClientSession) =>
      void (await tokens.deleteMany({ userId, purpose: "undo", createdAt: { $gte: since } }, { session })),

    /** Removes all links that reset a password; returns how many. */
    removeResets: async (): Promise<number> => (await tokens.deleteMany({ purpose: "reset" })).deletedCount,

    /** Whether another account may still restore that address. */
    isKeptBack: async (emailKey: string, fromUserId: string, now: Date, session: ClientSession) =>
      (await tokens.countDocuments(
        { emailKey, purpose: "undo", expiresAt: { $gt: now }, userId: { $ne: fromUserId } },
        { limit: 1, session },
      )) > 0,
  };
}

export type EmailTokens = ReturnType<typeof emailTokensIn>;
