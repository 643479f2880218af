import type { AnyBulkWriteOperation, Db } from "mongodb";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { keysWithPrefix } from "../driver/key-ranges.ts";

/**
 * A signed-in user in the source's room while a raid is pending, and whether that user arrived. `_id` is "raid:user".
 * Written by realtime workers and by users' own requests, never by the raid's actor.
 */
export type RaidMemberDoc = {
  _id: string;
  userId: string;
  /** Workers at which the user has a socket in the source's room; empty when the user has left. */
  on: string[];
  /** The user has opted out. */
  isOut: boolean;
  /** When the user opened the target's chat; null before that. */
  arrivedAt: Date | null;
  createdAt: Date;
};

/** Longer than any raid; earned points are in the ledger. */
const TTL_SECONDS = 24 * 3_600;

export const raidMembersCollection = defineCollection<RaidMemberDoc>("raid_members", {
  personal: {
    erase: {
      _id: { keep: "it is removed by itself after a day" },
      userId: { keep: "it is removed by itself after a day" },
    },
    exports: { nothing: "it is removed by itself after a day" },
  },

  indexes: [{ key: { createdAt: 1 }, expireAfterSeconds: TTL_SECONDS }],
});

/** Batch size: the documents of one reply are deserialised in one go. */
const BATCH_SIZE = 500;

const raidMemberIdOf = (raidId: string, userId: string) => `${raidId}:${userId}`;

const isThere = { "on.0": { $exists: true } };

export function raidMembersIn(db: Db) {
  const members = raidMembersCollection.in(db);
  const idsOf = (raidId: string, userIds: readonly string[]) =>
    userIds.map((userId) => raidMemberIdOf(raidId, userId));

  return {
    /** Adds users with a socket in the source's room at that worker. Users who are new and in `apart` count as opted out. */
    async came(
      raidId: string,
      userIds: readonly string[],
      worker: string,
      at: Date,
      apart: ReadonlySet<string> = new Set(),
    ): Promise<void> {
      const each = userIds.map(
        (userId): AnyBulkWriteOperation<RaidMemberDoc> => ({
          updateOne: {
            filter: { _id: raidMemberIdOf(raidId, userId) },
            update: {
              $addToSet: { on: worker },
              $setOnInsert: { userId, isOut: apart.has(userId), arrivedAt: null, createdAt: at },
            },
            upsert: true,
          },
        }),
      );
      if (each.length > 0) await members.bulkWrite(each, { ordered: false });
    },
    /** They have no socket left there. */
    async left(raidId: string, userIds: readonly string[], worker: string): Promise<void> {
      await members.updateMany({ _id: { $in: idsOf(raidId, userIds) } }, { $pull: { on: worker } });
    },
    /** Sets a user's choice; it also applies if the user enters the room later. */
    setOptedOut: async (raidId: string, userId: string, isOut: boolean, at: Date) =>
      void (await members.updateOne(
        { _id: raidMemberIdOf(raidId, userId) },
        { $set: { isOut }, $setOnInsert: { userId, on: [], arrivedAt: null, createdAt: at } },
        { upsert: true },
      )),
    /** Users who have opted out. */
    async optedOut(raidId: string): Promise<Set<string>> {
      const users = new Set<string>();
      const found = members.find(
        { _id: keysWithPrefix(raidId), isOut: true },
        { projection: { userId: 1 }, batchSize: BATCH_SIZE },
      );
      for await (const { userId } of found) users.add(userId);
      return users;
    },
    /** Members who are present and haven't opted out. */
    count: (raidId: string): Promise<number> =>
      members.countDocuments({ _id: keysWithPrefix(raidId), ...isThere, isOut: false }),
    /** Only of members who were present; the first arrival counts. */
    arrived: async (raidId: string, userIds: readonly string[], at: Date) =>
      void (await members.updateMany(
        { _id: { $in: idsOf(raidId, userIds) }, ...isThere, isOut: false, arrivedAt: null },
        { $set: { arrivedAt: at } },
      )),
    /** Members who have arrived, by _id, after `cursor` ("" = from the first), at most `limit`. */
    arrivalsAfter: (raidId: string, cursor: string, limit: number): Promise<RaidMemberDoc[]> =>
      members
        .find({ _id: keysWithPrefix(raidId, cursor), arrivedAt: { $ne: null } }, inOneReply(limit))
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
  };
}
