import type { Rooms } from "../../realtime/rooms/rooms.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { followedChannelsIn } from "../../store/mongo/followed-channels.ts";
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
  identity: Pick<Identity, "requireUser" | "usersByIds">;
  rooms: Pick<Rooms, "forgetFollow">;
  points: FollowCommitDeps["points"];
  clock: Clock;
};

export function createFollowing({ mongo, follows, streams, identity, rooms, points, clock }: Deps) {
  const followed = followedChannelsIn(mongo.db);
  const change = createFollowCommit({ mongo, follows, points });

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

    /** Whom a user follows, channels that are live first, then the newest follows. */
    async page(followerId: string, skip: number, limit: number) {
      const { items, total } = await followed.pageLiveFirst(followerId, skip, limit);
      const ids = items.map((follow) => follow.followingId);
      const [users, docs] = await Promise.all([identity.usersByIds(ids), streams.findByUsers(ids)]);
      const streamOf = new Map(docs.map((stream) => [stream.userId, stream]));
      const complete = items.flatMap((follow): Followed[] => {
        const user = users.get(follow.followingId);
        const stream = streamOf.get(follow.followingId);
        // Either is missing only while an account is being erased.
        return user && stream ? [{ follow, user, stream }] : [];
      });
      return { items: complete, total };
    },
  };
}

export type Following = ReturnType<typeof createFollowing>;
