import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Rooms } from "../../realtime/rooms/rooms.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import { type FollowedOrder, followedChannelsIn } from "../../store/mongo/channels/followed-channels.ts";
import type { FollowDoc, Follows } from "../../store/mongo/channels/follows.ts";
import type { StreamDoc, Streams } from "../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { placesPast, type Range } from "../../store/mongo/driver/page.ts";
import type { Directory } from "../accounts/public.ts";
import { createFollowCommit, type FollowCommitDeps } from "./follow-commit.ts";

/** A follow with the followed channel. */
export type Followed = { follow: FollowDoc; user: UserWithoutSecrets; stream: StreamDoc };

const FORGET_BATCH = 20;

type Deps = {
  mongo: Mongo;
  follows: Follows;
  streams: Streams;
  directory: Pick<Directory, "requireUser" | "usersByIds" | "usersInOrder">;
  rooms: Pick<Rooms, "forgetFollow">;
  points: FollowCommitDeps["points"];
  clock: Clock;
};

export function createFollowing({ mongo, follows, streams, directory, rooms, points, clock }: Deps) {
  const followed = followedChannelsIn(mongo.db);
  const change = createFollowCommit({ mongo, follows, points, clock });

  /** In the order of the ids, without banned and deleted accounts, which nobody sees. */
  async function followedIn(followerId: string, ids: string[]): Promise<Followed[]> {
    const [follow, users, docs] = await Promise.all([
      follows.followedOf(followerId, ids),
      directory.usersByIds(ids),
      streams.findByUsers(ids),
    ]);
    const streamOf = new Map(docs.map((stream) => [stream.userId, stream]));
    return ids.flatMap((id): Followed[] => {
      const [its, user, stream] = [follow.get(id), users.get(id), streamOf.get(id)];
      return its && user && stream && isVisible(user) ? [{ follow: its, user, stream }] : [];
    });
  }

  /** The users, likewise. */
  async function visible(ids: string[]): Promise<UserWithoutSecrets[]> {
    return (await directory.usersInOrder(ids)).filter(isVisible);
  }

  async function visiblePage(total: number, { ids, cursor }: typeof NONE) {
    return { items: await visible(ids), total, cursor };
  }

  return {
    /** Idempotent; a pair's first follow earns points. Throws `self_target`, `not_found`, `blocked`, `unavailable`. */
    async follow(followerId: string, followingId: string): Promise<Followed> {
      if (followerId === followingId) throw new ServiceError("self_target");
      const user = await directory.requireUser(followingId);
      const stream = await streams.findByUser(followingId);
      if (!stream) throw new ServiceError("not_found");
      const doc = { id: newId(), followerId, followingId, createdAt: new Date(clock.now()) };
      const follow = await change(followingId, { follows: doc });
      if (!follow) throw new Error("following leads to a follow");
      return { follow, user, stream };
    },

    /** Whether its follower is notified when the channel goes live. Throws `not_found` without a follow. */
    async setMuted(followerId: string, user: UserWithoutSecrets, isMuted: boolean): Promise<Followed> {
      const [follow, stream] = await Promise.all([
        follows.setMuted(followerId, user._id, isMuted),
        streams.findByUser(user._id),
      ]);
      if (!follow || !stream) throw new ServiceError("not_found");
      return { follow, user, stream };
    },

    /** Does nothing without a follow. Throws `not_found` for an unknown user. */
    async unfollow(followerId: string, followingId: string): Promise<void> {
      await directory.requireUser(followingId);
      await change(followingId, { unfollows: followerId });
      const stream = await streams.findByUser(followingId);
      if (stream) await rooms.forgetFollow(stream._id, followerId);
    },

    /** Ends all follows of an account that is being erased. Idempotent. */
    async forgetAll(followerId: string): Promise<void> {
      for (;;) {
        const some = await follows.someOf(followerId, FORGET_BATCH);
        await Promise.all(some.map((followingId) => change(followingId, { unfollows: followerId })));
        if (some.length < FORGET_BATCH) return;
      }
    },

    /** The channels that a user follows, live ones first. */
    async page(followerId: string, order: FollowedOrder, range: Range) {
      const query = { followerId, order, now: new Date(clock.now()) };
      const { ids, total } = await followed.pageLiveFirst(query, range.skip, range.limit);
      return { items: await followedIn(followerId, ids), total };
    },

    /** The live channels that a user follows, most viewers first. */
    async live(followerId: string, limit: number): Promise<Followed[]> {
      return followedIn(followerId, await followed.live(followerId, limit, new Date(clock.now())));
    },

    /** A user's followers, newest first. `total` also counts banned and deleted accounts. */
    async followersOf(userId: string, range: Range) {
      const total = await follows.countFollowers(userId);
      return visiblePage(total, placesPast(range) < total ? await follows.followersOf(userId, range) : NONE);
    },

    /** The users that a user follows, newest follow first. `total` as above. */
    async followedBy(userId: string, range: Range) {
      const total = await follows.countFollowed(userId);
      return visiblePage(total, placesPast(range) < total ? await follows.followedBy(userId, range) : NONE);
    },
  };
}

/** Past the end: no index scan for that. */
const NONE: { ids: string[]; cursor: string | null } = { ids: [], cursor: null };

const isVisible = ({ status }: UserWithoutSecrets) => status === "active";

export type Following = ReturnType<typeof createFollowing>;
