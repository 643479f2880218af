import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import type { UserDoc } from "./users.ts";

/** A code by which accounts can be made. The code itself isn't stored. A revoked invitation is deleted. */
export type InvitationDoc = {
  _id: string;
  /** SHA-256 of the code, hex. No salt is needed: the code has 120 random bits. */
  hash: string;
  /** Only visible to staff. */
  note: string | null;
  maxUses: number;
  uses: number;
  /** Null: the operator, at the terminal. */
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date;
};

/** By which invitation an account was made; `_id` is the account's. */
type InvitedAccountDoc = {
  _id: string;
  invitationId: string;
  /** Who made the invitation; null: the operator. */
  invitedBy: string | null;
  createdAt: Date;
};

/** By the server's clock, and late; each read checks the time itself. */
const TTL_SECONDS = 86_400;

export const invitationsCollection = defineCollection<InvitationDoc>("invitations", {
  personal: {
    erase: { createdBy: "anonymise" },
    exports: [{ by: "createdBy", shows: ["_id", "note", "maxUses", "uses", "createdAt", "expiresAt"] }],
  },

  indexes: [
    { key: { hash: 1 }, unique: true },
    { key: { expiresAt: 1 }, expireAfterSeconds: TTL_SECONDS },
    { key: { expiresAt: 1, _id: 1 } }, // page
    { key: { createdBy: 1 }, partialFilterExpression: { createdBy: { $gte: "" } } }, // export and erasure
  ],
});

export const invitedAccountsCollection = defineCollection<InvitedAccountDoc>("invited_accounts", {
  personal: {
    erase: { _id: "delete", invitedBy: "anonymise" },
    exports: [{ as: "invitation", by: "_id", shows: ["invitationId", "createdAt"] }],
  },

  indexes: [
    { key: { invitedBy: 1 }, partialFilterExpression: { invitedBy: { $gte: "" } } }, // erasure
  ],
});

export function invitationsIn(db: Db) {
  const invitations = invitationsCollection.in(db);
  const accounts = invitedAccountsCollection.in(db);
  const unused = { $expr: { $lt: ["$uses", "$maxUses"] } };

  return {
    insert: async (doc: InvitationDoc, session: ClientSession) =>
      void (await invitations.insertOne(doc, { session })),

    /** By its code, as long as it has uses left. */
    findUsable: (hash: string, now: Date) =>
      invitations.findOne({ hash, expiresAt: { $gt: now }, ...unused }),

    /** Takes one of its uses for a new account; false when it has none any more, or was revoked or expired meanwhile. */
    async use(
      invitationId: string,
      { _id, createdAt }: Pick<UserDoc, "_id" | "createdAt">,
      session: ClientSession,
    ): Promise<boolean> {
      const used = await invitations.findOneAndUpdate(
        { _id: invitationId, expiresAt: { $gt: createdAt }, ...unused },
        { $inc: { uses: 1 } },
        { session },
      );
      if (!used) return false;
      await accounts.insertOne({ _id, invitationId, invitedBy: used.createdBy, createdAt }, { session });
      return true;
    },

    /** Counts those that haven't expired; stops at `most` + 1. */
    countLeft: (now: Date, most: number, session: ClientSession) =>
      invitations.countDocuments({ expiresAt: { $gt: now } }, { session, limit: most + 1 }),

    /** Those that haven't expired, used up or not, the first to expire first. */
    page: (now: Date, range: Range) =>
      pageIn(invitations, { expiresAt: { $gt: now } }, { expiresAt: 1, _id: 1 }, range),

    /** True when this call removed it. */
    remove: async (invitationId: string, session: ClientSession): Promise<boolean> =>
      (await invitations.deleteOne({ _id: invitationId }, { session })).deletedCount === 1,
  };
}

export type Invitations = ReturnType<typeof invitationsIn>;
