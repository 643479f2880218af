import type { AnyBulkWriteOperation, Db } from "mongodb";
import { inOneReply } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import { keysUnder } from "./key-ranges.ts";

/**
 * A signed-in user of the source's room while a raid is pending, and whether that user came along. `_id` is "raid:user".
 * Written by realtime workers and by users' own requests, never by the raid's actor.
 */
export type RaidMemberDoc = {
  _id: string;
  userId: string;
  /** Workers that the user has a socket in the source's room at; empty when the user has left. */
  on: string[];
  /** The user has opted out. */
  isOut: boolean;
  /** When the user opened the target's chat; null before. */
  arrivedAt: Date | null;
  createdAt: Date;
};

/** A raid takes three minutes; what it has earned stands in the ledger. */
const KEPT_SECONDS = 24 * 3_600;

export const raidMembersCollection = defineCollection<RaidMemberDoc>("raid_members", {
  personal: {
    erase: {
      _id: { keep: "it is removed by itself after a day" },
      userId: { keep: "it is removed by itself after a day" },
    },
    exports: { nothing: "it is removed by itself after a day" },
  },

  indexes: [{ key: { createdAt: 1 }, expireAfterSeconds: KEPT_SECONDS }],
});

/** What a reply brings is made into documents in one piece of work. */
const READ_AT_ONCE = 500;

const raidMemberIdOf = (raidId: string, userId: string) => `${raidId}:${userId}`;

const isThere = { "on.0": { $exists: true } };

export function raidMembersIn(db: Db) {
  const members = raidMembersCollection.in(db);
  const idsOf = (raidId: string, userIds: readonly string[]) =>
    userIds.map((userId) => raidMemberIdOf(raidId, userId));

  return {
    /** Users with a socket in the source's room at that worker. Of whom we know nothing yet, those `apart` count as opted out. */
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
    /** They have no socket there any more. */
    async left(raidId: string, userIds: readonly string[], worker: string): Promise<void> {
      await members.updateMany({ _id: { $in: idsOf(raidId, userIds) } }, { $pull: { on: worker } });
    },
    /** What a user wants; who isn't in the room is a member once there. */
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
        { _id: keysUnder(raidId), isOut: true },
        { projection: { userId: 1 }, batchSize: READ_AT_ONCE },
      );
      for await (const { userId } of found) users.add(userId);
      return users;
    },
    /** Those who are there now and haven't opted out. */
    count: (raidId: string): Promise<number> =>
      members.countDocuments({ _id: keysUnder(raidId), ...isThere, isOut: false }),
    /** Members who were there when it went alone; the first time counts. */
    arrived: async (raidId: string, userIds: readonly string[], at: Date) =>
      void (await members.updateMany(
        { _id: { $in: idsOf(raidId, userIds) }, ...isThere, isOut: false, arrivedAt: null },
        { $set: { arrivedAt: at } },
      )),
    /** Members that have arrived, by _id, after `cursor` ("" = from the first), at most `limit`. */
    arrivalsAfter: (raidId: string, cursor: string, limit: number): Promise<RaidMemberDoc[]> =>
      members
        .find({ _id: keysUnder(raidId, cursor), arrivedAt: { $ne: null } }, inOneReply(limit))
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
  };
}
