import type { ClientSession } from "mongodb";
import type { Clock } from "../../../base/clock.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { inRetriedTransaction } from "../../../store/mongo/driver/retried-transaction.ts";
import { type BalanceDoc, balancesIn } from "../../../store/mongo/points/balances.ts";
import { type LedgerDoc, ledgerIn } from "../../../store/mongo/points/ledger.ts";
import { keyedRequestsIn } from "../../host/keyed-requests.ts";
import type { Outbox } from "../../host/outbox.ts";
import type { OutboxRow } from "../../host/outbox-draft.ts";
import { type Movement, pointsChanged, post } from "./post.ts";
import { BONUS_POINTS, createViewing, presenceKey, type Watched } from "./viewing.ts";

/** For a first follow, once ever per pair. */
const FOLLOW_POINTS = 300;

export type Points = ReturnType<typeof createPoints>;

/** The result of an earning. `applied` is false when its key had been used before; `entry` is then the earlier entry. */
type EarnResult = { applied: boolean; entry: LedgerDoc };

/** The points of users per channel: earnings, balances and the ledger. */
export function createPoints({ mongo, clock, outbox }: { mongo: Mongo; clock: Clock; outbox: Outbox }) {
  const balances = balancesIn(mongo.db);
  const ledger = ledgerIn(mongo.db);
  const keyed = keyedRequestsIn(mongo.db, clock);
  const viewing = createViewing(mongo.db);

  const sourceOf = ({ userId, channelUserId }: Pick<Movement, "userId" | "channelUserId">) =>
    `points:${userId}:${channelUserId}`;

  /** Takes at most one movement per account. */
  async function earnAllIn(movements: readonly Movement[], session: ClientSession): Promise<EarnResult[]> {
    const before = await ledger.findMany(
      movements.map(({ key }) => key),
      session,
    );
    const known = new Map(before.map((entry) => [entry._id, entry]));
    const at = new Date(clock.now());
    const fresh = movements.filter(({ key }) => !known.has(key)).map((movement) => ({ ...movement, at }));
    const entries = await post(mongo.db, fresh, session);
    await outbox.write(entries.map(changedRow), session);
    return [
      ...before.map((entry) => ({ applied: false, entry })),
      ...entries.map((entry) => ({ applied: true, entry })),
    ];
  }

  const changedRow = (entry: LedgerDoc): OutboxRow => ({
    actor: sourceOf(entry),
    version: entry.seq,
    n: 0,
    target: { user: entry.userId },
    type: "points.changed",
    data: pointsChanged(entry),
  });

  /** Published after the row of the entry that it comes with. */
  const bonusRow = ({ userId, channelUserId, seq }: LedgerDoc, claimable: number): OutboxRow => ({
    actor: sourceOf({ userId, channelUserId }),
    version: seq,
    n: 1,
    target: { user: userId },
    type: "points.bonus",
    data: { channel_user_id: channelUserId, claimable },
  });

  async function earnWatchedIn(watched: Watched, session: ClientSession): Promise<EarnResult> {
    const known = await ledger.find(presenceKey(watched), session);
    if (known) return { applied: false, entry: known };
    const at = new Date(clock.now());
    const { movements, bonusWaits } = await viewing.count(watched, at, session);
    const entries = await post(
      mongo.db,
      movements.map((movement) => ({ ...movement, at })),
      session,
    );
    const [entry] = entries;
    if (!entry) throw new Error("a window of presence makes an entry");
    const rows = [...entries.map(changedRow), ...(bonusWaits ? [bonusRow(entry, BONUS_POINTS)] : [])];
    await outbox.write(rows, session);
    return { applied: true, entry };
  }

  type Claim = { userId: string; channelUserId: string };
  type Claimed = { balance: number; lifetimeEarned: number };

  async function claimIn(
    { userId, channelUserId }: Claim,
    at: Date,
    session: ClientSession,
  ): Promise<Claimed> {
    const bonus = await viewing.takeBonus(userId, channelUserId, session);
    if (!bonus) throw new ServiceError("nothing_to_claim");
    const entries = await post(mongo.db, [{ ...bonus, at }], session);
    await outbox.write(
      entries.flatMap((entry) => [changedRow(entry), bonusRow(entry, 0)]),
      session,
    );
    const doc = await balances.find(userId, channelUserId, session);
    return { balance: doc?.balance ?? 0, lifetimeEarned: doc?.lifetimeEarned ?? 0 };
  }

  async function earnIn(movement: Movement, session: ClientSession): Promise<EarnResult> {
    const [earned] = await earnAllIn([movement], session);
    if (!earned) throw new Error("a movement makes an entry");
    return earned;
  }

  /** Concurrent earnings of one account or one key conflict at unique indexes: the loser is retried. */
  async function earnAlone(movement: Movement): Promise<EarnResult> {
    const earned = await inRetriedTransaction(mongo.client, (session) => earnIn(movement, session));
    if (earned.applied) outbox.publishSoon(sourceOf(movement));
    return earned;
  }

  const earn = (movement: Movement, session?: ClientSession) =>
    session ? earnIn(movement, session) : earnAlone(movement);

  return {
    /** Both are 0 for a user who never had points. */
    async balance(
      userId: string,
      channelUserId: string,
    ): Promise<{ balance: number; lifetimeEarned: number }> {
      const doc = await balances.find(userId, channelUserId);
      return { balance: doc?.balance ?? 0, lifetimeEarned: doc?.lifetimeEarned ?? 0 };
    },

    /** A user's balances in all channels, largest first. */
    balances: (userId: string, range: Range): Promise<{ items: BalanceDoc[]; total: number }> =>
      balances.pageOf(userId, range),

    /** A user's entries in one channel, newest first. */
    ledger: (userId: string, channelUserId: string, range: Range) =>
      ledger.page(userId, channelUserId, range),

    /**
     * Gives points, idempotently by key. With a session it takes part in that transaction, which the caller must retry on a
     * duplicate key or a Conflict; the relay then notifies the user, within about a second of the commit.
     */
    earn,

    earnFollow: (followerId: string, channelUserId: string, session?: ClientSession) =>
      earn(firstFollow(followerId, channelUserId), session),

    /** The same for several followers; takes part in that transaction. */
    earnFollows: (followerIds: readonly string[], channelUserId: string, session: ClientSession) =>
      earnAllIn(
        [...new Set(followerIds)].map((id) => firstFollow(id, channelUserId)),
        session,
      ),

    /** Pays for a window of presence once, with its consequences: a streak of broadcasts, a bonus to claim. */
    async earnPresence(watched: Watched): Promise<EarnResult> {
      const earned = await inRetriedTransaction(mongo.client, (session) => earnWatchedIn(watched, session));
      if (earned.applied) outbox.publishSoon(sourceOf(watched));
      return earned;
    },

    /** Claims the waiting bonus; returns the new balance. Throws `nothing_to_claim`, `idempotency_conflict`. */
    async claim({ key = null, ...claim }: Claim & { key?: string | null }): Promise<Claimed> {
      const { userId: by, channelUserId } = claim;
      const request = { by, operation: "points.claim", key, request: { channelUserId } };
      const claimed = await inRetriedTransaction(mongo.client, (session) =>
        keyed.once<Claimed, Claimed>(request, session, {
          act: (at) => claimIn(claim, at, session),
          answerOf: (done) => done,
          again: async (answer) => answer,
        }),
      );
      outbox.publishSoon(sourceOf(claim));
      return claimed;
    },

    /** The points that this user can claim, by channel; channels without any are omitted. */
    claimable: viewing.claimable,

    /** The sum of all stakes, payouts and refunds; 0 for a settled prediction. */
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
