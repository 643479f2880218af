import type { ClientSession, Db } from "mongodb";
import { Conflict } from "../../../base/failures/conflict.ts";
import type { UserEvents } from "../../../contract/wire.ts";
import { touchActivity } from "../../../store/mongo/channels/activity-marks.ts";
import {
  accountOf,
  type BalanceAfter,
  type BalanceChange,
  balancesIn,
} from "../../../store/mongo/points/balances.ts";
import { type LedgerDoc, ledgerIn, type PointsReason } from "../../../store/mongo/points/ledger.ts";
import type { OutboxDraft } from "../../host/outbox-draft.ts";

/** A movement of points to make; `key` makes it idempotent for ever. */
export type Movement = {
  key: string;
  userId: string;
  channelUserId: string;
  /** An integer, not 0; negative amounts are taken away. */
  delta: number;
  reason: PointsReason;
  ref: string | null;
};

/** A movement with its time. */
export type Posting = Movement & { at: Date };

const EARNED: ReadonlySet<PointsReason> = new Set(["presence", "follow", "raid", "bonus", "streak"]);

/**
 * Moves points: writes balances and ledger entries in the caller's transaction. Entries of one account keep the given
 * order. Throws Conflict when a balance would fall below 0 at any point, and a duplicate key error for a known key. Either way
 * the transaction is rolled back.
 */
export async function post(db: Db, movements: Posting[], session: ClientSession): Promise<LedgerDoc[]> {
  if (movements.length === 0) return [];
  const activity = movements.map(({ channelUserId, at }) => ({ channelUserId, at }));
  // Called here, before this locks anything that others would wait for; the second call below then costs nothing.
  await touchActivity(db, activity);
  const changes = changesOf(movements);
  const moved = await balancesIn(db).move([...changes.values()], session);
  if (!moved) throw new Conflict("a balance is smaller than it was");
  const entries = entriesOf(movements, changes, moved);
  await ledgerIn(db).insert(entries, session);
  await touchActivity(db, activity);
  return entries;
}

/** Moves the points of all batches together, and adds the owners' events to the outboxes. Throws like `post`. */
export async function postAndNotify(
  db: Db,
  batches: { outbox: OutboxDraft; movements: Posting[] }[],
  session: ClientSession,
): Promise<void> {
  const entries = await post(
    db,
    batches.flatMap(({ movements }) => movements),
    session,
  );
  for (const { outbox, movements } of batches) {
    const own = entries.splice(0, movements.length);
    outbox.users(
      "points.changed",
      own.map((entry) => ({ userId: entry.userId, data: pointsChanged(entry) })),
    );
  }
}

function changesOf(movements: Movement[]): Map<string, BalanceChange> {
  const changes = new Map<string, BalanceChange>();
  for (const { userId, channelUserId, delta, reason } of movements) {
    const account = accountOf(userId, channelUserId);
    const change = changes.get(account) ?? {
      userId,
      channelUserId,
      delta: 0,
      earned: 0,
      entries: 0,
      floor: 0,
    };
    change.delta += delta;
    change.earned += EARNED.has(reason) ? delta : 0;
    change.entries += 1;
    change.floor = Math.max(change.floor, -change.delta);
    changes.set(account, change);
  }
  return changes;
}

function entriesOf(
  movements: Posting[],
  changes: Map<string, BalanceChange>,
  moved: Map<string, BalanceAfter>,
): LedgerDoc[] {
  const running = new Map<string, { seq: number; balance: number }>();
  for (const [account, change] of changes) {
    const doc = moved.get(account);
    if (!doc) throw new Conflict("a balance has gone");
    running.set(account, { seq: doc.seq - change.entries, balance: doc.balance - change.delta });
  }
  return movements.map(({ key, userId, channelUserId, delta, reason, ref, at: createdAt }) => {
    const account = running.get(accountOf(userId, channelUserId));
    if (!account) throw new Error("every movement has an account");
    account.seq += 1;
    account.balance += delta;
    const { seq, balance: balanceAfter } = account;
    return { _id: key, userId, channelUserId, seq, delta, reason, ref, balanceAfter, createdAt };
  });
}

/** The data of an entry's private event. */
export const pointsChanged = ({
  channelUserId,
  balanceAfter,
  delta,
  reason,
  seq,
}: LedgerDoc): UserEvents["points.changed"] => ({
  channel_user_id: channelUserId,
  balance: balanceAfter,
  delta,
  reason,
  version: seq,
});
