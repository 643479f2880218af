import type { ClientSession } from "mongodb";
import { ServiceError } from "../../../contract/errors.ts";
import { inRetriedTransaction } from "../../../store/mongo/driver/retried-transaction.ts";
import { clipLikesIn } from "../../../store/mongo/live/clip-likes.ts";
import { type ClipDoc, clipsIn } from "../../../store/mongo/live/clips.ts";
import { weightOfLike } from "../../../store/mongo/live/trending-score.ts";
import type { FeatureDeps } from "../../features/deps.ts";
import { GroupCommit } from "../../host/group-commit.ts";
import { overloaded, queuePerKey } from "../../host/queue-per-key.ts";

/** Likes per batch of an erasure. */
const BATCH = 100;
const CHANGES_A_TRANSACTION = 30;
/** The queue's limit per clip; beyond it, 503. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 2_000;

/** `likes`: the data of a new like; null removes the like. */
type Change = { clipId: string; userId: string; likes: { channelUserId: string } | null };
type Result = "done" | "not_found";

/**
 * Likes, and each clip's count of them, which change in one transaction. A process runs the transactions of a clip sequentially,
 * since they would conflict; changes that arrive faster share the next transaction (group commit).
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
      // Changes nothing if the clip has been removed.
      await clips.like(clipId, -1, weightOfLike(known.createdAt), session);
    } else if (change.likes) {
      const createdAt = new Date(clock.now());
      if (!(await clips.like(clipId, 1, weightOfLike(createdAt), session))) return "not_found";
      await likes.insert({ clipId, userId, ...change.likes, createdAt }, session);
    }
    return "done";
  }

  /** Two workers that write the same like concurrently conflict on its key; the transaction is retried. */
  const write = (changes: Change[]): Promise<Result[]> =>
    inRetriedTransaction(mongo.client, async (session) => {
      const results: Result[] = [];
      // Sequentially: a session takes one command at a time.
      for (const change of changes) results.push(await apply(change, session));
      return results;
    });

  const queues = queuePerKey(
    () =>
      new GroupCommit<Change, Result>({
        concurrency: 1,
        maxBatch: CHANGES_A_TRANSACTION,
        maxWaitMs: MAX_WAIT_MS,
        run: write,
        timeoutError: overloaded,
        single: null,
      }),
    MAX_WAITING,
  );

  async function change(one: Change): Promise<void> {
    const result = await queues(one.clipId, (line) => line.do(one));
    if (result === "not_found") throw new ServiceError("not_found");
  }

  const unlike = (clipId: string, userId: string) => change({ clipId, userId, likes: null });

  return {
    /** Idempotent. Throws `not_found`, `unavailable`. */
    like: ({ _id: clipId, channelUserId }: ClipDoc, userId: string) =>
      change({ clipId, userId, likes: { channelUserId } }),

    /** Idempotent. Throws `unavailable`. */
    unlike,

    /** Removes all likes of an account that is being erased. Idempotent. */
    async forgetAll(userId: string): Promise<void> {
      for (;;) {
        const some = await likes.someOf(userId, BATCH);
        for (const { clipId } of some) await unlike(clipId, userId);
        if (some.length < BATCH) return;
      }
    },
  };
}
