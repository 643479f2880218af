import type { MongoClient } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { FollowDoc, Follows } from "../../store/mongo/follows.ts";
import type { StreamDoc, Streams } from "../../store/mongo/streams.ts";
import { createFollowCommit, type FollowCommitDeps } from "./follow-commit.ts";

/** A follow with the channel that is followed. */
export type Followed<User> = { follow: FollowDoc; user: User; stream: StreamDoc };

export type FollowingDeps<User> = {
  client: MongoClient;
  follows: Follows;
  followed: {
    pageLiveFirst(
      followerId: string,
      skip: number,
      limit: number,
    ): Promise<{ items: FollowDoc[]; total: number }>;
  };
  streams: Streams;
  /** Throws `not_found`. */
  requireUser(userId: string): Promise<User>;
  usersByIds(ids: string[]): Promise<Map<string, User>>;
  /** A room for followers looks it up anew. Throws `unavailable`. */
  forgetFollow(streamId: string, userId: string): Promise<void>;
  points: FollowCommitDeps["points"];
  clock: Clock;
};

export function createFollowing<User>(deps: FollowingDeps<User>) {
  const { client, follows, followed, streams, requireUser, usersByIds, forgetFollow, points, clock } = deps;

  const change = createFollowCommit({ client, follows, points });

  return {
    /** Following twice is one follow; the first of a pair earns points. Throws `self_target`, `not_found`. */
    async follow(followerId: string, followingId: string): Promise<Followed<User>> {
      if (followerId === followingId) throw new ServiceError("self_target");
      const user = await requireUser(followingId);
      const stream = await streams.findByUser(followingId);
      if (!stream) throw new ServiceError("not_found");
      const doc = { id: newId(), followerId, followingId, createdAt: new Date(clock.now()) };
      const follow = await change(followingId, { follows: doc });
      if (!follow) throw new Error("following leads to a follow");
      return { follow, user, stream };
    },

    /** Without a follow nothing happens. Throws `not_found` for an unknown user. */
    async unfollow(followerId: string, followingId: string): Promise<void> {
      await requireUser(followingId);
      await change(followingId, { ceases: followerId });
      const stream = await streams.findByUser(followingId);
      if (stream) await forgetFollow(stream._id, followerId);
    },

    /** Whom a user follows, channels that are live first, then the newest follows. */
    async page(followerId: string, skip: number, limit: number) {
      const { items, total } = await followed.pageLiveFirst(followerId, skip, limit);
      const ids = items.map((follow) => follow.followingId);
      const [users, docs] = await Promise.all([usersByIds(ids), streams.findByUsers(ids)]);
      const streamOf = new Map(docs.map((stream) => [stream.userId, stream]));
      const complete = items.flatMap((follow): Followed<User>[] => {
        const user = users.get(follow.followingId);
        const stream = streamOf.get(follow.followingId);
        // Either is missing only while an account is being erased.
        return user && stream ? [{ follow, user, stream }] : [];
      });
      return { items: complete, total };
    },
  };
}

export type Following<User> = ReturnType<typeof createFollowing<User>>;
