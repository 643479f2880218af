import type { ClientSession } from "mongodb";
import type { Clock } from "../../base/clock.ts";
import { isMongoUnavailable, isTransient } from "../../base/failures/mongo.ts";
import { ServiceError } from "../../contract/errors.ts";
import { blocksIn } from "../../store/mongo/channels/blocks.ts";
import type { FollowChange, FollowDoc, Follows } from "../../store/mongo/channels/follows.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { inRetriedTransaction } from "../../store/mongo/driver/retried-transaction.ts";
import type { TransactionTime } from "../../store/mongo/driver/transaction.ts";
import {
  type NotificationFact,
  notificationFactsIn,
} from "../../store/mongo/notifications/notification-facts.ts";
import type { LedgerDoc } from "../../store/mongo/points/ledger.ts";
import { GroupCommit } from "../host/group-commit.ts";
import { overloaded, queuePerKey } from "../host/queue-per-key.ts";

/** What became of a movement of points: `applied` is false where it had been made before. */
type Earned = { applied: boolean; entry: LedgerDoc };

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
    ): Promise<readonly Earned[]>;
  };
};

/** `blocked`: one of the two has blocked the other, and nothing was changed for this pair. */
type Result = { follow: FollowDoc | null } | "blocked";
/** `conflict`: nothing was committed of this change. `failed`: the same, or the outcome is unknown; others of the batch may be committed. */
type Outcome = Result | { conflict: unknown } | { failed: unknown };

const CHANGES_PER_TRANSACTION = 100;
/** Waiting changes per channel; beyond that, `unavailable` (503). */
const MAX_WAITING = 2_000;
/**
 * Limits for queueing and for transactions, in ms; together less than a request may take. A shared transaction that meets a
 * lock is halved until the change that meets it is found. That one goes on alone, so that it doesn't delay the others; side by side,
 * all of them would conflict with each other.
 */
const SHARED = { concurrency: 1, maxWaitMs: 2_000, time: { attemptMs: 3_000, allMs: 0 } };
const HALVED_WITHIN_MS = 1_000;
const ALONE = { concurrency: 8, maxWaitMs: 1_000, time: { allMs: 3_000 } };

/**
 * Commits follows and unfollows. All changes of one channel update its count, so a process runs their transactions one after
 * the other, and changes that come faster share the next one (group commit). A shared transaction that meets a lock is
 * halved, for a second, so that the change at fault is alone in the end. Returns the resulting follow, null for none. Throws
 * `blocked`, `unavailable`.
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
    const queue = { timeoutError: overloaded, single: null };
    const { time: sharedTime, ...sharedQueue } = SHARED;
    const { time: aloneTime, ...aloneQueue } = ALONE;
    const shared = new GroupCommit<FollowChange, Outcome>({
      ...queue,
      ...sharedQueue,
      maxBatch: CHANGES_PER_TRANSACTION,
      run: (changes) =>
        halving(writeWith(followingId, sharedTime), changes, performance.now() + HALVED_WITHIN_MS),
    });
    const alone = new GroupCommit<FollowChange, Result>({
      ...queue,
      ...aloneQueue,
      maxBatch: 1,
      run: writeWith(followingId, aloneTime),
    });
    return { shared, alone };
  }, MAX_WAITING);

  return async function change(followingId: string, requested: FollowChange): Promise<FollowDoc | null> {
    const result = await channels(followingId, async ({ shared, alone }): Promise<Result> => {
      const outcome = await shared.do(requested);
      if (outcome === "blocked" || "follow" in outcome) return outcome;
      if ("failed" in outcome) throw outcome.failed;
      return alone.do(requested);
    });
    if (result === "blocked") throw new ServiceError("blocked");
    return result.follow;
  };
}

/** Commits the changes together or, where they meet a lock, in halves, one after the other; none begins after `until`. */
async function halving(
  write: (changes: FollowChange[]) => Promise<Result[]>,
  changes: FollowChange[],
  until: number,
): Promise<Outcome[]> {
  try {
    return await write(changes);
  } catch (err) {
    if (!isWorthTryingAlone(err)) return changes.map(() => ({ failed: err }));
    if (changes.length === 1 || performance.now() > until) return changes.map(() => ({ conflict: err }));
    const middle = Math.ceil(changes.length / 2);
    const first = await halving(write, changes.slice(0, middle), until);
    return [...first, ...(await halving(write, changes.slice(middle), until))];
  }
}

/** Only the first follow of a pair is notified. */
function firstFollowFact({ applied, entry }: Earned): NotificationFact[] {
  const { userId: followerId, channelUserId: userId, createdAt: at } = entry;
  return applied ? [{ kind: "follower", ref: followerId, userId, at, data: { followerId } }] : [];
}

/** True when nothing was committed and another change in the transaction may have caused the failure. */
const isWorthTryingAlone = (err: unknown): boolean =>
  isTransient(err) || !(isMongoUnavailable(err) || err instanceof ServiceError);
