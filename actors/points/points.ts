import type { ClientSession } from "mongodb";
import type { Clock } from "../../store/clock.ts";
import { type BalanceDoc, balancesIn } from "../../store/mongo/balances.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type LedgerDoc, ledgerIn } from "../../store/mongo/ledger.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { retryingConflicts } from "../host/conflict.ts";
import type { Outbox } from "../host/outbox.ts";
import type { OutboxRow } from "../host/outbox-draft.ts";
import { type Movement, pointsChanged, post } from "./post.ts";

/** For a first follow, once per pair for life. */
const FOLLOW_POINTS = 300;
/** For five full minutes of presence while live. */
export const PRESENCE_POINTS = 10;

export type Points = ReturnType<typeof createPoints>;

/** What became of an earning; `applied` false = its key had earned before, and this is that entry. */
export type Earned = { applied: boolean; entry: LedgerDoc };

/** The points of users in channels: what was earned, what there is, and how it came about. */
export function createPoints({ mongo, clock, outbox }: { mongo: Mongo; clock: Clock; outbox: Outbox }) {
  const balances = balancesIn(mongo.db);
  const ledger = ledgerIn(mongo.db);

  const sourceOf = ({ userId, channelUserId }: Pick<Movement, "userId" | "channelUserId">) =>
    `points:${userId}:${channelUserId}`;

  /** At most one movement of an account. */
  async function earnAllIn(movements: readonly Movement[], session: ClientSession): Promise<Earned[]> {
    const before = await ledger.findMany(
      movements.map(({ key }) => key),
      session,
    );
    const known = new Map(before.map((entry) => [entry._id, entry]));
    const at = new Date(clock.now());
    const fresh = movements.filter(({ key }) => !known.has(key)).map((movement) => ({ ...movement, at }));
    const entries = await post(mongo.db, fresh, session);
    const rows = entries.map(
      (entry): OutboxRow => ({
        actor: sourceOf(entry),
        version: entry.seq,
        n: 0,
        target: { user: entry.userId },
        type: "points.changed",
        data: pointsChanged(entry),
      }),
    );
    await outbox.write(rows, session);
    return [
      ...before.map((entry) => ({ applied: false, entry })),
      ...entries.map((entry) => ({ applied: true, entry })),
    ];
  }

  async function earnIn(movement: Movement, session: ClientSession): Promise<Earned> {
    const [earned] = await earnAllIn([movement], session);
    if (!earned) throw new Error("a movement makes an entry");
    return earned;
  }

  /** Parallel earnings of one account or one key meet at unique indexes: the loser looks again. */
  async function earnAlone(movement: Movement): Promise<Earned> {
    const earned = await retryingConflicts(() =>
      inTransaction(mongo.client, (session) => earnIn(movement, session)),
    );
    if (earned.applied) outbox.publishSoon(sourceOf(movement));
    return earned;
  }

  const earn = (movement: Movement, session?: ClientSession) =>
    session ? earnIn(movement, session) : earnAlone(movement);

  return {
    /** 0 and 0 for who never had any. */
    async balance(
      userId: string,
      channelUserId: string,
    ): Promise<{ balance: number; lifetimeEarned: number }> {
      const doc = await balances.find(userId, channelUserId);
      return { balance: doc?.balance ?? 0, lifetimeEarned: doc?.lifetimeEarned ?? 0 };
    },

    /** A user's balances in all channels, richest first. */
    balances: (
      userId: string,
      skip: number,
      limit: number,
    ): Promise<{ items: BalanceDoc[]; total: number }> => balances.pageOf(userId, skip, limit),

    /** A user's entries in one channel, newest first. */
    ledger: (userId: string, channelUserId: string, skip: number, limit: number) =>
      ledger.page(userId, channelUserId, skip, limit),

    /**
     * Gives points once per key. With a session it takes part in that transaction, whose owner repeats it on a
     * duplicate key or a Conflict; the user is then notified by the relay, within about a second of the commit.
     */
    earn,

    earnFollow: (followerId: string, channelUserId: string, session?: ClientSession) =>
      earn(firstFollow(followerId, channelUserId), session),

    /** The same for several at once; takes part in that transaction. */
    earnFollows: (followerIds: readonly string[], channelUserId: string, session: ClientSession) =>
      earnAllIn(
        [...new Set(followerIds)].map((id) => firstFollow(id, channelUserId)),
        session,
      ),

    /** `window` is the index of the five-minute window of wall time in which the presence was completed. */
    earnPresence: (userId: string, channelUserId: string, streamId: string, window: number) =>
      earn({
        key: `presence:${userId}:${streamId}:${window}`,
        userId,
        channelUserId,
        delta: PRESENCE_POINTS,
        reason: "presence",
        ref: streamId,
      }),

    /** The sum of all stakes, payouts and refunds; 0 for a prediction that is settled. */
    sumOfPrediction: (id: string) => ledger.sumOfPrediction(id),
  };
}

const firstFollow = (followerId: string, channelUserId: string): Movement => ({
  key: `follow:${followerId}:${channelUserId}`,
  userId: followerId,
  channelUserId,
  delta: FOLLOW_POINTS,
  reason: "follow",
  ref: null,
});
