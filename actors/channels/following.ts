import type { Rooms } from "../../realtime/rooms/rooms.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type FollowedOrder, followedChannelsIn } from "../../store/mongo/followed-channels.ts";
import type { FollowDoc, Follows } from "../../store/mongo/follows.ts";
import type { StreamDoc, Streams } from "../../store/mongo/streams.ts";
import type { PublicUserDoc } from "../../store/mongo/users.ts";
import type { Identity } from "../identity/identity.ts";
import { createFollowCommit, type FollowCommitDeps } from "./follow-commit.ts";

/** A follow with the channel that is followed. */
export type Followed = { follow: FollowDoc; user: PublicUserDoc; stream: StreamDoc };

const FORGOTTEN_AT_ONCE = 20;

type Deps = {
  mongo: Mongo;
  follows: Follows;
  streams: Streams;
  identity: Pick<Identity, "requireUser" | "usersByIds" | "usersInOrder">;
  rooms: Pick<Rooms, "forgetFollow">;
  points: FollowCommitDeps["points"];
  clock: Clock;
};

export function createFollowing({ mongo, follows, streams, identity, rooms, points, clock }: Deps) {
  const followed = followedChannelsIn(mongo.db);
  const change = createFollowCommit({ mongo, follows, points, clock });

  /** In the order of the ids, without deleted accounts: nobody sees them any more. */
  async function followedIn(followerId: string, ids: string[]): Promise<Followed[]> {
    const [follow, users, docs] = await Promise.all([
      follows.followedOf(followerId, ids),
      identity.usersByIds(ids),
      streams.findByUsers(ids),
    ]);
    const streamOf = new Map(docs.map((stream) => [stream.userId, stream]));
    return ids.flatMap((id): Followed[] => {
      const [its, user, stream] = [follow.get(id), users.get(id), streamOf.get(id)];
      return its && user && stream && isVisible(user) ? [{ follow: its, user, stream }] : [];
    });
  }

  /** As above. */
  async function visible(ids: string[]): Promise<PublicUserDoc[]> {
    return (await identity.usersInOrder(ids)).filter(isVisible);
  }

  return {
    /** Following twice is one follow; the first of a pair earns points. Throws `self_target`, `not_found`, `blocked`. */
    async follow(followerId: string, followingId: string): Promise<Followed> {
      if (followerId === followingId) throw new ServiceError("self_target");
      const user = await identity.requireUser(followingId);
      const stream = await streams.findByUser(followingId);
      if (!stream) throw new ServiceError("not_found");
      const doc = { id: newId(), followerId, followingId, createdAt: new Date(clock.now()) };
      const follow = await change(followingId, { follows: doc });
      if (!follow) throw new Error("following leads to a follow");
      return { follow, user, stream };
    },

    /** Without a follow nothing happens. Throws `not_found` for an unknown user. */
    async unfollow(followerId: string, followingId: string): Promise<void> {
      await identity.requireUser(followingId);
      await change(followingId, { ceases: followerId });
      const stream = await streams.findByUser(followingId);
      if (stream) await rooms.forgetFollow(stream._id, followerId);
    },

    /** Ends all follows of an account that is being erased. May be done twice. */
    async forgetAll(followerId: string): Promise<void> {
      for (;;) {
        const some = await follows.someOf(followerId, FORGOTTEN_AT_ONCE);
        await Promise.all(some.map((followingId) => change(followingId, { ceases: followerId })));
        if (some.length < FORGOTTEN_AT_ONCE) return;
      }
    },

    /** Whom a user follows, channels that are live first. */
    async page(followerId: string, order: FollowedOrder, skip: number, limit: number) {
      const asked = { followerId, order, now: new Date(clock.now()) };
      const { ids, total } = await followed.pageLiveFirst(asked, skip, limit);
      return { items: await followedIn(followerId, ids), total };
    },

    /** Live channels that a user follows, those with most viewers first. */
    async live(followerId: string, limit: number): Promise<Followed[]> {
      return followedIn(followerId, await followed.live(followerId, limit, new Date(clock.now())));
    },

    /** Who follows a user, the newest first. `total` counts accounts that are being deleted too. */
    async followersOf(userId: string, skip: number, limit: number) {
      const total = await follows.countFollowers(userId);
      const ids = skip < total ? await follows.followersOf(userId, skip, limit) : [];
      return { items: await visible(ids), total };
    },

    /** Whom a user follows, the newest follow first. `total` counts as above. */
    async followedBy(userId: string, skip: number, limit: number) {
      const total = await follows.countFollowed(userId);
      const ids = skip < total ? await follows.followedBy(userId, skip, limit) : [];
      return { items: await visible(ids), total };
    },
  };
}

const isVisible = ({ status }: PublicUserDoc) => status !== "deleted";

export type Following = ReturnType<typeof createFollowing>;
