import type { ClientSession, Db } from "mongodb";
import type { ChannelMember } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** Permission of a user to display a badge. */
export type BadgeGrantDoc = {
  _id: number;
  badgeId: string;
  /** The badge's channel; null for one of staff's. */
  channelUserId: string | null;
  userId: string;
  grantedAt: Date;
  /** It isn't displayed from then on; null for no expiry. */
  expiresAt: Date | null;
};

/** Per badge. */
export const MAX_GRANTS = 10_000;
/** Per user and room, the newest. */
const MAX_WORN = 5;

export const badgeGrantsCollection = defineCollection<BadgeGrantDoc>("badge_grants", {
  personal: {
    erase: { userId: "delete", channelUserId: "delete" },
    exports: [{ by: "userId", shows: ["badgeId", "grantedAt", "expiresAt"] }],
  },
  indexes: [
    { key: { badgeId: 1, userId: 1 }, unique: true }, // find, count, removeOf
    { key: { userId: 1, grantedAt: -1, _id: -1 } }, // pageOf, wornBy, endOf
    { key: { channelUserId: 1 } }, // erasure
    {
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      partialFilterExpression: { expiresAt: { $type: "date" } },
    },
  ],
});

export function badgeGrantsIn(db: Db) {
  const grants = badgeGrantsCollection.in(db);
  const inForce = (now: Date) => ({ $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] });
  return {
    /** Grants in force, newest first. */
    pageOf: (userId: string, now: Date, range: Range) =>
      pageIn(grants, { userId, ...inForce(now) }, { grantedAt: -1, _id: -1 }, range),
    /** For each pair of a channel's owner and a user, ids of the newest five badges that the user displays there. */
    async wornBy(pairs: readonly ChannelMember[], now: Date): Promise<string[][]> {
      const owners = new Set(pairs.map(([ownerId]) => ownerId));
      const users = new Set(pairs.map(([, userId]) => userId));
      const found = await grants
        .find(
          { userId: { $in: [...users] }, channelUserId: { $in: [...owners, null] }, ...inForce(now) },
          { projection: { userId: 1, channelUserId: 1, badgeId: 1 } },
        )
        .sort({ grantedAt: -1, _id: -1 })
        .toArray();
      const byUser = new Map<string, typeof found>();
      for (const grant of found) byUser.set(grant.userId, [...(byUser.get(grant.userId) ?? []), grant]);
      return pairs.map(([ownerId, userId]) =>
        (byUser.get(userId) ?? [])
          .filter(({ channelUserId }) => channelUserId === null || channelUserId === ownerId)
          .slice(0, MAX_WORN)
          .map(({ badgeId }) => badgeId),
      );
    },
    find: (badgeId: string, userId: string, session: ClientSession) =>
      grants.findOne({ badgeId, userId }, { session }),
    count: (badgeId: string, session: ClientSession) => grants.countDocuments({ badgeId }, { session }),
    insert: async (doc: BadgeGrantDoc, session: ClientSession) =>
      void (await grants.insertOne(doc, { session })),
    setExpiry: async (_id: number, expiresAt: Date | null, session: ClientSession) =>
      void (await grants.updateOne({ _id }, { $set: { expiresAt } }, { session })),
    /** False when there was none. */
    remove: async (badgeId: string, userId: string, session: ClientSession) =>
      (await grants.deleteOne({ badgeId, userId }, { session })).deletedCount === 1,
    /** Removes a user's grants in a channel; returns the badges. */
    async endOf(userId: string, channelUserId: string, session: ClientSession): Promise<string[]> {
      const own = { userId, channelUserId };
      const found = await grants.find(own, { session, projection: { badgeId: 1 } }).toArray();
      if (found.length > 0) await grants.deleteMany(own, { session });
      return found.map(({ badgeId }) => badgeId);
    },
    /** Removes all grants of a badge. */
    removeOf: async (badgeId: string, session: ClientSession) =>
      void (await grants.deleteMany({ badgeId }, { session })),
  };
}
