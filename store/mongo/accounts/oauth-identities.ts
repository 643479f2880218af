import { createHash } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import { defineCollection } from "../driver/collection.ts";

/** An identity at a provider, linked to one account. `_id` is the hash of issuer and subject, so it can't have two. */
export type OauthIdentityDoc = {
  _id: string;
  userId: string;
  issuer: string;
  /** The provider's id in the configuration at the time of linking. */
  providerId: string;
  linkedAt: Date;
};

export const oauthIdentitiesCollection = defineCollection<OauthIdentityDoc>("oauth_identities", {
  personal: {
    erase: { userId: "delete" },
    exports: [{ as: "linked_providers", by: "userId", shows: ["providerId", "linkedAt"] }],
  },
  // The list of a user; unique, since a user links one identity per provider.
  indexes: [{ key: { userId: 1, issuer: 1 }, unique: true }],
});

/** The subject is personal data; only its hash is stored, which is enough to find it again. */
export const identityIdOf = (issuer: string, subject: string): string =>
  createHash("sha256")
    .update(JSON.stringify([issuer, subject]))
    .digest("hex");

export function oauthIdentitiesIn(db: Db) {
  const identities = oauthIdentitiesCollection.in(db);
  return {
    find: (id: string) => identities.findOne({ _id: id }),
    /** At most one for each configured provider, oldest first. */
    ofUser: (userId: string, session?: ClientSession) =>
      identities
        .find({ userId }, session ? { session } : {})
        .sort({ linkedAt: 1, _id: 1 })
        .toArray(),
    /** Null when it was added; else the conflict: the identity is linked already, or the user has one of the same provider. */
    async add(doc: OauthIdentityDoc, session: ClientSession): Promise<null | "identity" | "user"> {
      if (await identities.findOne({ _id: doc._id }, { session })) return "identity";
      if (await identities.findOne({ userId: doc.userId, issuer: doc.issuer }, { session })) return "user";
      try {
        await identities.insertOne(doc, { session });
        return null;
      } catch (err) {
        if (isDuplicateKey(err)) return "identity";
        throw err;
      }
    },
    removeAll: async (userId: string, session: ClientSession) =>
      void (await identities.deleteMany({ userId }, { session })),
    remove: async (id: string, session: ClientSession) =>
      void (await identities.deleteOne({ _id: id }, { session })),
  };
}

export type OauthIdentities = ReturnType<typeof oauthIdentitiesIn>;
