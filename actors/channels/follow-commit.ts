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
import { busy, linesByKey } from "../host/lines-by-key.ts";
import type { Earned } from "../points/points.ts";

export type FollowCommitDeps = {
  mongo: Mongo;
  follows: Follows;
  clock: Clock;
  points: {
    /** Pays first follows, once per pair for life. */
    earnFollows(
      followerIds: readonly string[],
      channelUserId: string,
      session: ClientSession,
    ): Promise<readonly Earned[]>;
  };
};

/** `blocked`: one of the two has blocked the other, and nothing was changed for this pair. */
type Result = { follow: FollowDoc | null } | "blocked";
type Commit = GroupCommit<FollowChange, Result>;

const CHANGES_A_TRANSACTION = 100;
/** Of one channel; past it, 503. */
const MAX_WAITING = 2_000;
/**
 * Waits for a turn and for transactions, ms; together less than a request may take. A shared transaction that meets a lock
 * isn't tried again: the one that waits for the lock then does so alone, and keeps no turn from the others.
 */
const SHARED = { atOnce: 1, patienceMs: 2_000, time: { attemptMs: 3_000, allMs: 0 } };
const ALONE = { atOnce: 8, patienceMs: 1_000, time: { allMs: 3_000 } };

/**
 * Commits follows and unfollows. Those of one channel move its count, so the transactions of a process go one after the
 * other there, and what comes faster shares the next one. What fails together goes one by one. Returns the follow that a
 * change leads to, null for none. Throws `blocked`, `unavailable`.
 */
export function createFollowCommit({ mongo: { client, db }, follows, points, clock }: FollowCommitDeps) {
  const blocks = blocksIn(db);
  const facts = notificationFactsIn(db);

  /** Parallel follows of one pair elsewhere, and other earnings of an account, meet at unique indexes: the loser looks again. */
  const writing = (followingId: string, time: TransactionTime) => (changes: FollowChange[]) =>
    inRetriedTransaction(
      client,
      async (session) => {
        const followerIds = changes.flatMap((one) => ("follows" in one ? [one.follows.followerId] : []));
        const blocked =
          followerIds.length > 0
            ? await blocks.eitherWay(followingId, followerIds, session)
            : new Set<string>();
        const isRefused = (one: FollowChange) => "follows" in one && blocked.has(one.follows.followerId);
        const allowed = changes.filter((one) => !isRefused(one));
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
        const left = results.values();
        return changes.map(
          (one): Result => (isRefused(one) ? "blocked" : { follow: left.next().value ?? null }),
        );
      },
      time,
    );

  const channels = linesByKey((followingId) => {
    const commit = (most: number, { atOnce, patienceMs, time }: typeof SHARED | typeof ALONE): Commit => {
      const run = writing(followingId, time);
      return new GroupCommit({ atOnce, most, run, patienceMs, late: busy, single: null });
    };
    return { shared: commit(CHANGES_A_TRANSACTION, SHARED), alone: commit(1, ALONE) };
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

/** Whoever follows a second time isn't told of. */
function firstFollowFact({ applied, entry }: Earned): NotificationFact[] {
  const { userId: followerId, channelUserId: userId, createdAt: at } = entry;
  return applied ? [{ kind: "follower", ref: followerId, userId, at, data: { followerId } }] : [];
}

/** Nothing happened, and it may have been for another one of the transaction. */
const isWorthTryingAlone = (err: unknown): boolean =>
  isTransient(err) || !(isMongoUnavailable(err) || err instanceof ServiceError);
