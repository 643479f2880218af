import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { clipLikesIn } from "../../store/mongo/clip-likes.ts";
import { type ClipDoc, clipsIn } from "../../store/mongo/clips.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { weightOfLike } from "../../store/mongo/trending-score.ts";
import { retryingConflicts } from "../host/conflict.ts";

/** Of one turn of an erasure. */
const BATCH = 100;

export type ClipLikes = ReturnType<typeof createClipLikes>;

/** Likes, and their number on each clip, which change together. */
export function createClipLikes({ mongo, clock }: { mongo: Mongo; clock: Clock }) {
  const clips = clipsIn(mongo.db);
  const likes = clipLikesIn(mongo.db);

  const unlike = (clipId: string, userId: string): Promise<void> =>
    retryingConflicts(() =>
      inTransaction(mongo.client, async (session) => {
        const like = await likes.find(clipId, userId, session);
        if (!like || !(await likes.remove(like, session))) return;
        // One whose clip is gone has nothing to change.
        await clips.like(clipId, -1, weightOfLike(like.createdAt), session);
      }),
    );

  return {
    /** Twice is once. Throws `not_found`. */
    like: ({ _id: clipId, channelUserId }: ClipDoc, userId: string): Promise<void> =>
      retryingConflicts(() =>
        inTransaction(mongo.client, async (session) => {
          if (await likes.find(clipId, userId, session)) return;
          const createdAt = new Date(clock.now());
          await likes.insert({ clipId, userId, channelUserId, createdAt }, session);
          const isThere = await clips.like(clipId, 1, weightOfLike(createdAt), session);
          if (!isThere) throw new ServiceError("not_found");
        }),
      ),

    /** Without a like nothing happens. */
    unlike,

    /** Takes back all likes of an account that is being erased. May be done twice. */
    async forgetAll(userId: string): Promise<void> {
      for (;;) {
        const some = await likes.someOf(userId, BATCH);
        for (const { clipId } of some) await unlike(clipId, userId);
        if (some.length < BATCH) return;
      }
    },
  };
}
