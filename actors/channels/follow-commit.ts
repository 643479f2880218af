import type { ClientSession } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { isMongoUnavailable, isTransient } from "../../store/failures/mongo.ts";
import { blocksIn } from "../../store/mongo/blocks.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { FollowChange, FollowDoc, Follows } from "../../store/mongo/follows.ts";
import { type NotificationFact, notificationFactsIn } from "../../store/mongo/notification-facts.ts";
import type { TransactionTime } from "../../store/mongo/transaction.ts";
import { inRetriedTransaction } from "../host/conflict.ts";
import { GroupCommit } from "../host/group-commit.ts";
import { overloaded, queuePerKey } from "../host/queue-per-key.ts";
import type { EarnResult } from "../points/points.ts";

export type FollowCommitDeps = {
  mongo: Mongo;
  follows: Follows;
  clock: Clock;
  points: {
    /** Pays first follows, once ever per pair. */
    earnFollows(
      followerIds: readonly string[],
      channelUserId: string,
      session: ClientSession,
    ): Promise<readonly EarnResult[]>;
  };
};

/** `blocked`: one of the two has blocked the other, and nothing was changed for this pair. */
type Result = { follow: FollowDoc | null } | "blocked";
type Commit = GroupCommit<FollowChange, Result>;

const CHANGES_PER_TRANSACTION = 100;
/** Waiting changes per channel; beyond that, `unavailable` (503). */
const MAX_WAITING = 2_000;
/**
 * Limits for queueing and for transactions, in ms; together less than a request may take. A shared transaction that meets a
 * lock isn't retried: its changes go on alone, so that the one waiting for the lock doesn't delay the others.
 */
const SHARED = { concurrency: 1, maxWaitMs: 2_000, time: { attemptMs: 3_000, allMs: 0 } };
const ALONE = { concurrency: 8, maxWaitMs: 1_000, time: { allMs: 3_000 } };

/**
 * Commits follows and unfollows. All changes of one channel update its count, so a process runs their transactions one after
 * the other, and changes that come faster share the next one (group commit). The changes of a failed shared transaction are
 * retried one by one. Returns the resulting follow, null for none. Throws `blocked`, `unavailable`.
 */
export function createFollowCommit({ mongo: { client, db }, follows, points, clock }: FollowCommitDeps) {
  const blocks = blocksIn(db);
  const facts = notificationFactsIn(db);

  /** Concurrent follows of one pair, and other earnings of an account, conflict at unique indexes: the loser is retried. */
  const writeWith = (followingId: string, time: TransactionTime) => (changes: FollowChange[]) =>
    inRetriedTransaction(
      client,
      async (session) => {
        const followerIds = changes.flatMap((change) =>
          "follows" in change ? [change.follows.followerId] : [],
        );
        const blocked =
          followerIds.length > 0
            ? await blocks.eitherWay(followingId, followerIds, session)
            : new Set<string>();
        const isRefused = (change: FollowChange) =>
          "follows" in change && blocked.has(change.follows.followerId);
        const allowed = changes.filter((change) => !isRefused(change));
        const { results, created } = await follows.change(
          followingId,
          allowed,
          new Date(clock.now()),
          session,
        );
        const newFollowers = created.map(({ followerId }) => followerId);
        if (newFollowers.length > 0) {
          const earned = await points.earnFollows(newFollowers, followingId, session);
          await facts.insert(earned.flatMap(firstFollowFact), session);
        }
        const remaining = results.values();
        return changes.map(
          (change): Result => (isRefused(change) ? "blocked" : { follow: remaining.next().value ?? null }),
        );
      },
      time,
    );

  const channels = queuePerKey((followingId) => {
    const commit = (
      maxBatch: number,
      { concurrency, maxWaitMs, time }: typeof SHARED | typeof ALONE,
    ): Commit => {
      const run = writeWith(followingId, time);
      return new GroupCommit({
        concurrency,
        maxBatch,
        run,
        maxWaitMs,
        timeoutError: overloaded,
        single: null,
      });
    };
    return { shared: commit(CHANGES_PER_TRANSACTION, SHARED), alone: commit(1, ALONE) };
  }, MAX_WAITING);

  return async function change(followingId: string, requested: FollowChange): Promise<FollowDoc | null> {
    const result = await channels(followingId, ({ shared, alone }) =>
      shared.do(requested).catch((err: unknown) => {
        if (!isWorthTryingAlone(err)) throw err;
        return alone.do(requested);
      }),
    );
    if (result === "blocked") throw new ServiceError("blocked");
    return result.follow;
  };
}

/** Only the first follow of a pair is notified. */
function firstFollowFact({ applied, entry }: EarnResult): NotificationFact[] {
  const { userId: followerId, channelUserId: userId, createdAt: at } = entry;
  return applied ? [{ kind: "follower", ref: followerId, userId, at, data: { followerId } }] : [];
}

/** True when nothing was committed and another change in the transaction may have caused the failure. */
const isWorthTryingAlone = (err: unknown): boolean =>
  isTransient(err) || !(isMongoUnavailable(err) || err instanceof ServiceError);
