import type { ClientSession, Db } from "mongodb";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import { defineCollection } from "../driver/collection.ts";

/** A passkey of an account (WebAuthn credential). */
export type PasskeyDoc = {
  _id: string;
  userId: string;
  /** Base64url, as authenticators name it; unique over all accounts. */
  credentialId: string;
  /** COSE, base64url. */
  publicKey: string;
  /** The signature counter at its last use; 0 for authenticators without one. */
  counter: number;
  /** Whether it may be kept beyond one device; a passkey never changes this. */
  isSyncable: boolean;
  /** Whether it is, as of its last use. */
  isSynced: boolean;
  /** How browsers reach it. */
  transports: string[];
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
};

export const passkeysCollection = defineCollection<PasskeyDoc>("passkeys", {
  personal: {
    erase: { userId: "delete" },
    exports: [{ by: "userId", shows: ["name", "createdAt", "lastUsedAt"] }],
  },
  indexes: [
    { key: { credentialId: 1 }, unique: true },
    { key: { userId: 1, createdAt: 1, _id: 1 } }, // ofUser
  ],
});

export function passkeysIn(db: Db) {
  const all = passkeysCollection.in(db);
  return {
    find: (id: string) => all.findOne({ _id: id }),
    findByCredential: (credentialId: string) => all.findOne({ credentialId }),

    /** All of an account, which has few; oldest first. */
    ofUser: (userId: string, session?: ClientSession) =>
      all
        .find({ userId }, session ? { session } : {})
        .sort({ createdAt: 1, _id: 1 })
        .toArray(),

    /** Whether the account has any. */
    has: async (userId: string, session?: ClientSession): Promise<boolean> =>
      (await all.countDocuments({ userId }, { limit: 1, ...(session ? { session } : {}) })) > 0,

    /** False when that credential is registered already, with whatever account. */
    async add(doc: PasskeyDoc, session: ClientSession): Promise<boolean> {
      if (await all.findOne({ credentialId: doc.credentialId }, { session })) return false;
      try {
        await all.insertOne(doc, { session });
        return true;
      } catch (err) {
        if (!isDuplicateKey(err)) throw err;
        return false;
      }
    },

    /** Records a use; false when the counter didn't rise, or the passkey is gone. Of concurrent uses with one count one gets true. */
    use: async (
      id: string,
      { counter, isSynced, at }: { counter: number; isSynced: boolean; at: Date },
    ): Promise<boolean> =>
      (
        await all.updateOne(
          { _id: id, counter: counter === 0 ? 0 : { $lt: counter } },
          { $set: { counter, isSynced, lastUsedAt: at } },
        )
      ).matchedCount === 1,

    /** Null when the user has none of that id. */
    rename: (userId: string, id: string, name: string) =>
      all.findOneAndUpdate({ _id: id, userId }, { $set: { name } }, { returnDocument: "after" }),

    remove: async (id: string, session: ClientSession) =>
      void (await all.deleteOne({ _id: id }, { session })),
    removeAll: async (userId: string, session: ClientSession) =>
      void (await all.deleteMany({ userId }, { session })),
  };
}

export type PasskeysStore = ReturnType<typeof passkeysIn>;
