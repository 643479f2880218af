import type { ClientSession } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import { clipLikesIn } from "../../store/mongo/clip-likes.ts";
import { type ClipDoc, clipsIn } from "../../store/mongo/clips.ts";
import { weightOfLike } from "../../store/mongo/trending-score.ts";
import type { FeatureDeps } from "../features/deps.ts";
import { inRetriedTransaction } from "../host/conflict.ts";
import { GroupCommit } from "../host/group-commit.ts";
import { busy, linesByKey } from "../host/lines-by-key.ts";

/** Of one turn of an erasure. */
const BATCH = 100;
const CHANGES_A_TRANSACTION = 30;
/** Of one clip; past it, 503. */
const MAX_WAITING = 1_000;
const PATIENCE_MS = 2_000;

/** `likes`: what the like that is made says; null takes it back. */
type Change = { clipId: string; userId: string; likes: { channelUserId: string } | null };
type Result = "done" | "not_found";

export type ClipLikes = ReturnType<typeof createClipLikes>;

/**
 * Likes, and their number on each clip, which change together. The transactions of a clip go one after the other in a process,
 * since they would meet; what comes faster shares the next.
 */
export function createClipLikes({ mongo, clock }: Pick<FeatureDeps, "mongo" | "clock">) {
  const clips = clipsIn(mongo.db);
  const likes = clipLikesIn(mongo.db);

  async function apply(change: Change, session: ClientSession): Promise<Result> {
    const { clipId, userId } = change;
    const known = await likes.find(clipId, userId, session);
    if ((known !== null) === (change.likes !== null)) return "done";
    if (known) {
      await likes.remove(known, session);
      // One whose clip is gone has nothing to change.
      await clips.like(clipId, -1, weightOfLike(known.createdAt), session);
    } else if (change.likes) {
      const createdAt = new Date(clock.now());
      if (!(await clips.like(clipId, 1, weightOfLike(createdAt), session))) return "not_found";
      await likes.insert({ clipId, userId, ...change.likes, createdAt }, session);
    }
    return "done";
  }

  /** Two workers that write the same like at once meet at its key. */
  const write = (changes: Change[]): Promise<Result[]> =>
    inRetriedTransaction(mongo.client, async (session) => {
      const results: Result[] = [];
      // One statement at a time in a session.
      for (const change of changes) results.push(await apply(change, session));
      return results;
    });

  const lines = linesByKey(
    () =>
      new GroupCommit<Change, Result>({
        ...{ atOnce: 1, most: CHANGES_A_TRANSACTION, patienceMs: PATIENCE_MS },
        ...{ run: write, late: busy, single: null },
      }),
    MAX_WAITING,
  );

  async function change(one: Change): Promise<void> {
    const result = await lines(one.clipId, (line) => line.do(one));
    if (result === "not_found") throw new ServiceError("not_found");
  }

  const unlike = (clipId: string, userId: string) => change({ clipId, userId, likes: null });

  return {
    /** Twice is once. Throws `not_found`, `unavailable`. */
    like: ({ _id: clipId, channelUserId }: ClipDoc, userId: string) =>
      change({ clipId, userId, likes: { channelUserId } }),

    /** Without a like nothing happens. Throws `unavailable`. */
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
