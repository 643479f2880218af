import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** A sign-in that lacks its second factor. `_id` is the SHA-256 of its token, hex. */
export type PendingSignInDoc = {
  _id: string;
  userId: string;
  /** The device it began on, which has to finish it. */
  deviceId: string;
  isKnownDevice: boolean;
  /** Began in cookie mode, so it can only end there, with the device's cookie. */
  viaCookie: boolean;
  /** Of the password that was right then: another one ends what the old one began. */
  passwordMark: string;
  /** The link with a provider that was the first factor; absent: a password was. */
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
    /** Takes one of so many tries, before it is known whether it is right; false when none is left. */
    takeTry: async (id: string, mostTries: number): Promise<boolean> =>
      (await all.updateOne({ _id: id, tries: { $lt: mostTries } }, { $inc: { tries: 1 } })).modifiedCount ===
      1,
    /** True for the one who ends it. */
    remove: async (id: string): Promise<boolean> => (await all.deleteOne({ _id: id })).deletedCount === 1,
  };
}

export type PendingSignIns = ReturnType<typeof pendingSignInsIn>;
