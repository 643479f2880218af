import type { ClientSession, Db, Filter } from "mongodb";
import { byIds, inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { filterAfter } from "../driver/cursor.ts";
import { nextCursor, placesPast, type Range } from "../driver/page.ts";
import { touchActivity } from "./activity-marks.ts";
import { followChangesIn } from "./follow-changes.ts";
import { followerCountsIn } from "./follower-counts.ts";

/** `_id` is "follower:following", so following is idempotent. */
export type FollowDoc = {
  _id: string;
  id: string;
  followerId: string;
  followingId: string;
  createdAt: Date;
  /** The follower isn't notified when the channel goes live. Absent: they are. */
  isMuted?: true;
};

export const followsCollection = defineCollection<FollowDoc>("follows", {
  personal: {
    erase: { followerId: "delete", followingId: "delete", _id: { with: "followerId" } },
    exports: [{ by: "followerId", shows: ["followingId", "createdAt", "isMuted"] }],
  },

  indexes: [
    { key: { followingId: 1, createdAt: -1, _id: 1 } }, // followersOf, the check of counts
    { key: { followerId: 1, createdAt: -1, _id: 1 } }, // followedBy
  ],
  retired: [
    { followingId: 1, createdAt: -1 },
    { followerId: 1, createdAt: -1 },
  ],
});

const SEPARATOR = ":";
const idOf = (followerId: string, followingId: string) => `${followerId}${SEPARATOR}${followingId}`;
/** The inverse: both ids are in the key, so that lists of them are covered by an index. */
const partiesOf = (_id: string) => {
  const at = _id.indexOf(SEPARATOR);
  return { followerId: _id.slice(0, at), followingId: _id.slice(at + 1) };
};

const NEWEST_FIRST = { createdAt: -1, _id: 1 } as const;

/** Somebody follows or unfollows a channel; an existing follow stays unchanged. */
export type FollowChange = { follows: Omit<FollowDoc, "_id"> } | { unfollows: string };

const followerOf = (change: FollowChange) =>
  "follows" in change ? change.follows.followerId : change.unfollows;

export function followsIn(db: Db) {
  const follows = followsCollection.in(db);
  const counts = followerCountsIn(db);
  const followChanges = followChangesIn(db);

  /** A covered query, however many are skipped. */
  async function keysOf(of: Filter<FollowDoc>, { skip, limit, before }: Range) {
    const found = follows
      .find(filterAfter(of, NEWEST_FIRST, before), inOneReply(limit + 1))
      .sort(NEWEST_FIRST)
      .skip(placesPast({ skip, before }))
      .limit(limit + 1)
      .project<Pick<FollowDoc, "_id" | "createdAt">>({ _id: 1, createdAt: 1 });
    const rows = await found.toArray();
    const keys = rows.slice(0, limit).map(({ _id }) => partiesOf(_id));
    return { keys, cursor: nextCursor(rows, NEWEST_FIRST, limit) };
  }

  return {
    find: (followerId: string, followingId: string) =>
      follows.findOne({ _id: idOf(followerId, followingId) }),
    /** For each pair of a follower and a channel's owner since when they follow; null for no follow. */
    async since(
      pairs: readonly (readonly [followerId: string, followingId: string])[],
    ): Promise<(Date | null)[]> {
      const ids = pairs.map(([follower, following]) => idOf(follower, following));
      const found = new Map((await byIds(follows, [...new Set(ids)])).map((doc) => [doc._id, doc.createdAt]));
      return ids.map((id) => found.get(id) ?? null);
    },

    /**
     * Applies changes to one channel's followers, in order, and to its counts. Returns the resulting follow of each
     * change, null for none, and those that are new. A follow created concurrently causes a duplicate key.
     */
    async change(
      followingId: string,
      changes: readonly FollowChange[],
      createdAt: Date,
      session: ClientSession,
    ) {
      const ids = changes.map((change) => idOf(followerOf(change), followingId));
      const before = new Map((await byIds(follows, ids, session)).map((doc) => [doc._id, doc]));
      // Before anything is locked that others would wait for.
      await touchActivity(db, [{ channelUserId: followingId, at: createdAt }]);
      const after = new Map(before);
      const created: FollowDoc[] = [];
      const results = changes.map((change): FollowDoc | null => {
        const _id = idOf(followerOf(change), followingId);
        if (!("follows" in change)) after.delete(_id);
        else if (!after.has(_id)) {
          const doc = { _id, ...change.follows };
          after.set(_id, doc);
          created.push(doc);
        }
        return after.get(_id) ?? null;
      });
      const gone = [...before.values()].filter((doc) => after.get(doc._id) !== doc).map(({ _id }) => _id);
      const added = [...after.values()].filter((doc) => before.get(doc._id) !== doc);
      if (gone.length > 0) await follows.deleteMany({ _id: { $in: gone } }, { session });
      if (added.length > 0) await follows.insertMany(added, { session });
      const by = added.length - gone.length;
      if (by !== 0) await counts.add(followingId, by, session);
      const [gained, lost] = [added.length, gone.length];
      await followChanges.add({ channelUserId: followingId, createdAt, gained, lost }, session);
      return { results, created };
    },

    /** Whether the follower is notified when the channel goes live. Null without a follow. */
    setMuted: (followerId: string, followingId: string, isMuted: boolean): Promise<FollowDoc | null> =>
      follows.findOneAndUpdate(
        { _id: idOf(followerId, followingId) },
        isMuted ? { $set: { isMuted: true } } : { $unset: { isMuted: "" } },
        { returnDocument: "after" },
      ),

    /**
     * Ends a follow, if there is one. It writes the key even when there is nothing to end, so that a concurrent follow
     * causes a write conflict: the later transaction is retried and sees the other's result.
     */
    async end(
      followerId: string,
      followingId: string,
      createdAt: Date,
      session: ClientSession,
    ): Promise<void> {
      const key = { _id: idOf(followerId, followingId) };
      const { matchedCount } = await follows.updateOne(
        key,
        { $set: { followerId, followingId } },
        { upsert: true, session },
      );
      await follows.deleteOne(key, { session });
      if (matchedCount === 0) return;
      await counts.add(followingId, -1, session);
      await followChanges.add({ channelUserId: followingId, createdAt, gained: 0, lost: 1 }, session);
    },

    /** Channels that a user follows, at most `limit`, in no particular order. */
    someOf: async (followerId: string, limit: number): Promise<string[]> =>
      (
        await follows
          .find({ followerId }, { projection: { followingId: 1 } })
          .limit(limit)
          .toArray()
      ).map((follow) => follow.followingId),

    countFollowers: counts.of,
    countFollowed: (followerId: string) => follows.countDocuments({ followerId }),

    /** Followers of a channel, newest first. */
    async followersOf(followingId: string, range: Range) {
      const { keys, cursor } = await keysOf({ followingId }, range);
      return { ids: keys.map((key) => key.followerId), cursor };
    },
    /** Channels that a user follows, newest first. */
    async followedBy(followerId: string, range: Range) {
      const { keys, cursor } = await keysOf({ followerId }, range);
      return { ids: keys.map((key) => key.followingId), cursor };
    },
    /** Which of these channels a user follows. */
    async followedOf(followerId: string, channelIds: readonly string[]): Promise<Map<string, FollowDoc>> {
      const found = await byIds(
        follows,
        channelIds.map((id) => idOf(followerId, id)),
      );
      return new Map(found.map((follow) => [follow.followingId, follow]));
    },
  };
}

export type Follows = ReturnType<typeof followsIn>;
