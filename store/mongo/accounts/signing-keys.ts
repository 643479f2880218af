import type { Db } from "mongodb";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import { defineCollection } from "../driver/collection.ts";

/** An Ed25519 key that signs access tokens during one period; `_id` is its kid. */
export type SigningKeyDoc = {
  _id: string;
  /** Number of the period since the epoch; all machines agree on one key per period. */
  period: number;
  /** Number of the manual rotation within the period, from 1; absent on the automatically created key. */
  rotation?: number;
  /** When it starts to sign instead of the previous one; absent on the automatic key, which signs from the period's start. */
  signsFrom?: Date;
  /** The public coordinate `x` of the JWK. */
  publicX: string;
  /** The private JWK as JSON, sealed with MASTER_KEY. */
  privateSealed: string;
  createdAt: Date;
  /** No token that it signed is valid after this; the document is removed a day later. */
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
    /** Keys that may still verify tokens, oldest first. */
    usable: (now: Date) =>
      keys
        .find({ expiresAt: { $gt: now } })
        .sort({ period: 1, rotation: 1 })
        .toArray(),

    /** The period's other keys expire at that time at the latest. */
    expireOthers: async (period: number, kid: string, at: Date) =>
      void (await keys.updateMany({ period, _id: { $ne: kid } }, { $min: { expiresAt: at } })),

    /** Keys of earlier periods expire at that time at the latest. */
    expireBefore: async (period: number, at: Date) =>
      void (await keys.updateMany({ period: { $lt: period } }, { $min: { expiresAt: at } })),

    /** False when another process has already stored a key for the same period; that one stays. */
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
