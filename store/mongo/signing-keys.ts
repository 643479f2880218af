import type { Db } from "mongodb";
import { isDuplicateKey } from "../failures/mongo.ts";
import { defineCollection } from "./collection.ts";

/** An Ed25519 key that signs access tokens during one period; `_id` is its kid. */
export type SigningKeyDoc = {
  _id: string;
  /** Periods are counted from the epoch; all machines agree on one key for each. */
  period: number;
  /** Counts the keys of a period that were made by hand, from 1; absent on the one that came by itself. */
  rotation?: number;
  /** From when it signs instead of the one before it; absent on the one that came by itself, which signs from the period's begin. */
  signsFrom?: Date;
  /** The public coordinate `x` of the JWK. */
  publicX: string;
  /** The private JWK as JSON, under MASTER_KEY. */
  privateSealed: string;
  createdAt: Date;
  /** After this moment no token that it signed is valid; the document goes a day later. */
  expiresAt: Date;
};

export const signingKeysCollection = defineCollection<SigningKeyDoc>("signing_keys", {
  personal: "none",

  indexes: [
    { key: { period: 1, rotation: 1 }, unique: true },
    { key: { expiresAt: 1 }, expireAfterSeconds: 86_400 },
  ],
  retired: [{ period: 1 }],
});

export function signingKeysIn(db: Db) {
  const keys = signingKeysCollection.in(db);
  return {
    /** Keys that may still verify something, the oldest first. */
    usable: (now: Date) =>
      keys
        .find({ expiresAt: { $gt: now } })
        .sort({ period: 1, rotation: 1 })
        .toArray(),

    /** Those of that period but this one verify until then at the most. */
    expireOthers: async (period: number, kid: string, at: Date) =>
      void (await keys.updateMany({ period, _id: { $ne: kid } }, { $min: { expiresAt: at } })),

    /** Those of earlier periods verify until then at the most. */
    expireBefore: async (period: number, at: Date) =>
      void (await keys.updateMany({ period: { $lt: period } }, { $min: { expiresAt: at } })),

    /** False when another process has made a key for the same period, which is kept. */
    async addUnlessThere(doc: SigningKeyDoc): Promise<boolean> {
      try {
        await keys.insertOne(doc);
        return true;
      } catch (err) {
        if (!isDuplicateKey(err)) throw err;
        return false;
      }
    },
  };
}

export type SigningKeys = ReturnType<typeof signingKeysIn>;
