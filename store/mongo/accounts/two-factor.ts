import type { ClientSession, Db } from "mongodb";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import { defineCollection } from "../driver/collection.ts";

/** A set-up that isn't verified yet: it isn't in force. */
export type PendingTwoFactor = { secretSealed: string; recoveryHashes: string[]; expiresAt: Date };

/** An account's second factor; `_id` is the user's id. It is in force only after a verified set-up. */
export type TwoFactorDoc = {
  _id: string;
  /** The authenticator's secret, sealed (`totpContext`); null until a set-up was verified. */
  secretSealed: string | null;
  /** What vouches for it being the owner's: enabled while the address was verified, or by an operator. Absent without one. */
  vouchedBy?: "address" | "operator" | null;
  /** The last time step whose code was used (replay protection): codes of it and of earlier steps are invalid. */
  lastStep: number;
  /** SHA-256, hex, of the unused recovery codes. */
  recoveryHashes: string[];
  pending: PendingTwoFactor | null;
};

export const twoFactorsCollection = defineCollection<TwoFactorDoc>("two_factors", {
  personal: { erase: { _id: "delete" }, exports: { nothing: "it proves who somebody is" } },
});

export function twoFactorsIn(db: Db) {
  const all = twoFactorsCollection.in(db);
  return {
    find: (userId: string) => all.findOne({ _id: userId }),

    /** Replaces an unverified set-up; false for an account that has a second factor. */
    async begin(userId: string, pending: PendingTwoFactor): Promise<boolean> {
      const fresh = { lastStep: 0, recoveryHashes: [] };
      try {
        await all.updateOne(
          { _id: userId, secretSealed: null },
          { $set: { pending }, $setOnInsert: fresh },
          { upsert: true },
        );
        return true;
      } catch (err) {
        if (!isDuplicateKey(err)) throw err;
        return false;
      }
    },

    /** Enables the set-up, with the time step of the code that verified it; false when it isn't the pending one any more. */
    async enable(
      userId: string,
      { secretSealed, recoveryHashes }: PendingTwoFactor,
      { lastStep, vouchedBy }: { lastStep: number; vouchedBy: "address" | "operator" | null },
      session: ClientSession,
    ): Promise<boolean> {
      const { modifiedCount } = await all.updateOne(
        { _id: userId, secretSealed: null, "pending.secretSealed": secretSealed },
        { $set: { secretSealed, recoveryHashes, lastStep, vouchedBy, pending: null } },
        { session },
      );
      return modifiedCount === 1;
    },

    /** Uses the code of that step; false when it, or a later one, was used. Of concurrent calls one gets true. */
    takeStep: async (userId: string, secretSealed: string, step: number): Promise<boolean> =>
      (
        await all.updateOne(
          { _id: userId, secretSealed, lastStep: { $lt: step } },
          { $set: { lastStep: step } },
        )
      ).modifiedCount === 1,

    /** Uses up a recovery code; returns how many are left, null when it isn't valid. Of concurrent calls one gets a number. */
    async takeRecoveryCode(userId: string, hash: string): Promise<number | null> {
      const after = await all.findOneAndUpdate(
        { _id: userId, secretSealed: { $ne: null }, recoveryHashes: hash },
        { $pull: { recoveryHashes: hash } },
        { returnDocument: "after" },
      );
      return after ? after.recoveryHashes.length : null;
    },

    /** False for an account without a second factor. */
    renewRecoveryCodes: async (
      userId: string,
      recoveryHashes: string[],
      session: ClientSession,
    ): Promise<boolean> =>
      (
        await all.updateOne(
          { _id: userId, secretSealed: { $ne: null } },
          { $set: { recoveryHashes } },
          { session },
        )
      ).matchedCount === 1,

    /**
     * Removes a pending set-up, and a factor that nothing vouches for; with `alsoProven` also one that only the address vouches
     * for. False when there was none of those.
     */
    removeUnsure: async (userId: string, alsoProven: boolean, session: ClientSession): Promise<boolean> => {
      const kept = alsoProven ? (["operator"] as const) : (["address", "operator"] as const);
      const unsure = [{ secretSealed: null }, { vouchedBy: { $nin: kept } }];
      return (await all.deleteOne({ _id: userId, $or: unsure }, { session })).deletedCount === 1;
    },

    /** False when there was none. */
    remove: async (userId: string, session: ClientSession): Promise<boolean> =>
      (await all.deleteOne({ _id: userId }, { session })).deletedCount === 1,
  };
}

export type TwoFactors = ReturnType<typeof twoFactorsIn>;
