import type { ClientSession, Db } from "mongodb";
import { isDuplicateKey } from "../failures/mongo.ts";
import { defineCollection } from "./collection.ts";

/** What is set up but not verified: nothing of it counts yet. */
export type PendingTwoFactor = { secretSealed: string; recoveryHashes: string[]; expiresAt: Date };

/** The second factor of an account; `_id` is the user's id. There is none without a verified set-up. */
export type TwoFactorDoc = {
  _id: string;
  /** The authenticator's secret, sealed (`totpContext`); null until a set-up was verified. */
  secretSealed: string | null;
  /** What speaks for it being the owner's: it came in force while the address was proven, or by an operator. Absent without one. */
  vouchedBy?: "address" | "operator" | null;
  /** The last time step of which a code was taken: codes of it and of those before it don't count any more. */
  lastStep: number;
  /** SHA-256, hex, of the recovery codes that are left. */
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

    /** Puts a set-up in the place of one that wasn't verified; false for an account that has a second factor. */
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

    /** Puts that set-up in force, with the step of the code that proved it; false when it isn't the pending one any more. */
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

    /** Takes the code of that step; false when it, or a later one, was taken. Of calls at once one gets true. */
    takeStep: async (userId: string, secretSealed: string, step: number): Promise<boolean> =>
      (
        await all.updateOne(
          { _id: userId, secretSealed, lastStep: { $lt: step } },
          { $set: { lastStep: step } },
        )
      ).modifiedCount === 1,

    /** Takes a recovery code; how many are left, or null when there is no such one. Of calls at once one gets a number. */
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
     * Removes what waits for its proof, and a factor that nothing vouches for; with `alsoProven` one that only the address does as
     * well. False when there was none of those.
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
