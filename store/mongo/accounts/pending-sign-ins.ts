import type { Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** A sign-in that waits for its second factor. `_id` is the SHA-256 of its token, hex. */
export type PendingSignInDoc = {
  _id: string;
  userId: string;
  /** The device that started it, which has to finish it. */
  deviceId: string;
  isKnownDevice: boolean;
  /** It started in cookie mode, so it can only be finished there, with the device's cookie. */
  viaCookie: boolean;
  /** Its browser was given a binding, without which no browser can finish it; absent: begun by a release without them. */
  isBound?: true;
  /** Identifies the password that was verified: a changed password invalidates the sign-in. */
  passwordMark: string;
  /** The provider link that was the first factor; absent: the password was. */
  linkId?: string;
  tries: number;
  expiresAt: Date;
};

export const pendingSignInsCollection = defineCollection<PendingSignInDoc>("pending_sign_ins", {
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  personal: { erase: { userId: "delete" }, exports: { nothing: "gone within minutes" } },
});

export function pendingSignInsIn(db: Db) {
  const all = pendingSignInsCollection.in(db);
  return {
    insert: async (doc: PendingSignInDoc) => void (await all.insertOne(doc)),
    find: (id: string) => all.findOne({ _id: id }),
    /** Takes one of `mostTries` attempts, before the code is checked; false when none is left. */
    takeTry: async (id: string, mostTries: number): Promise<boolean> =>
      (await all.updateOne({ _id: id, tries: { $lt: mostTries } }, { $inc: { tries: 1 } })).modifiedCount ===
      1,
    /** True only for the caller that removed it. */
    remove: async (id: string): Promise<boolean> => (await all.deleteOne({ _id: id })).deletedCount === 1,
  };
}

export type PendingSignIns = ReturnType<typeof pendingSignInsIn>;
