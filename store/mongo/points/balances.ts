import type { AnyBulkWriteOperation, ClientSession, Db } from "mongodb";
import { inOneReply, setEach } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** A user's points in one channel; `_id` is "user:channel". Always the sum of its ledger entries. */
export type BalanceDoc = {
  _id: string;
  userId: string;
  channelUserId: string;
  /** Integer, never negative. */
  balance: number;
  /** Sum of earnings (without payouts and refunds); never falls. */
  lifetimeEarned: number;
  /** Number of ledger entries. */
  seq: number;
};

/** All movements of one account in one transaction, summed. */
export type BalanceChange = {
  userId: string;
  channelUserId: string;
  delta: number;
  earned: number;
  entries: number;
  /** The balance before the change has to be at least this. */
  floor: number;
};

/** Groups of fewer equal changes are written with the others. */
const MIN_GROUP = 10;

/** An account after its movements. */
export type BalanceAfter = Pick<BalanceDoc, "balance" | "seq">;

export const balancesCollection = defineCollection<BalanceDoc>("balances", {
  personal: {
    erase: { userId: "delete", channelUserId: "delete", _id: { with: "userId" } },
    exports: [{ by: "userId", shows: ["channelUserId", "balance", "lifetimeEarned"] }],
  },

  indexes: [
    // pageOf sorts in memory: with the balance in the index every movement would move its entry.
    { key: { userId: 1 } },
  ],
});

export const accountOf = (userId: string, channelUserId: string) => `${userId}:${channelUserId}`;

export function balancesIn(db: Db) {
  const balances = balancesCollection.in(db);
  return {
    find: (userId: string, channelUserId: string, session?: ClientSession) =>
      balances.findOne({ _id: accountOf(userId, channelUserId) }, session ? { session } : {}),
    /** Balances of these users; those who never had any are left out. */
    ofUsers: (userIds: string[], channelUserId: string) =>
      balances
        .find(
          { _id: { $in: userIds.map((userId) => accountOf(userId, channelUserId)) } },
          inOneReply(userIds.length),
        )
        .project<Pick<BalanceDoc, "userId" | "balance">>({ _id: 0, userId: 1, balance: 1 })
        .toArray(),
    /** Richest first. */
    pageOf: (userId: string, range: Range) => pageIn(balances, { userId }, { balance: -1, _id: 1 }, range),
    /**
     * Changes the balances, creates missing ones, and returns all resulting ones; null when one is below its floor: then the
     * transaction must be aborted. An account created concurrently causes a duplicate key.
     */
    async move(changes: BalanceChange[], session: ClientSession): Promise<Map<string, BalanceAfter> | null> {
      const named = changes.map((change) => ({
        ...change,
        _id: accountOf(change.userId, change.channelUserId),
      }));
      await balances.bulkWrite(movesOf(named), { session, ordered: false });
      const ids = named.map(({ _id }) => _id);
      const found = await balances
        .find({ _id: { $in: ids } }, { session, ...inOneReply(ids.length) })
        .project<BalanceAfter & { _id: string }>({ balance: 1, seq: 1 })
        .toArray();
      const moved = new Map<string, BalanceAfter>(found.map((doc) => [doc._id, doc]));
      const opened = named.filter(({ _id }) => !moved.has(_id)).map(opening);
      for (const doc of opened) moved.set(doc._id, doc);
      if (named.some(({ _id, delta, floor }) => (moved.get(_id)?.balance ?? 0) - delta < floor)) return null;
      if (opened.length > 0) await balances.insertMany(opened, { session });
      return moved;
    },
  };
}

type Named = BalanceChange & { _id: string };

/** Accounts with equal changes share one statement, which costs less than half of one with a value for each. */
function movesOf(changes: readonly Named[]): AnyBulkWriteOperation<BalanceDoc>[] {
  const byAmounts = new Map<string, Named[]>();
  for (const change of changes) {
    const amounts = `${change.delta} ${change.earned} ${change.entries}`;
    const same = byAmounts.get(amounts) ?? [];
    same.push(change);
    byAmounts.set(amounts, same);
  }
  const groups = [...byAmounts.values()];
  const several = groups.filter(({ length }) => length >= MIN_GROUP);
  const others = groups.filter(({ length }) => length < MIN_GROUP).flat();
  return [...several.flatMap(moveAlike), ...moveEach(others)];
}

function moveAlike(changes: Named[]): AnyBulkWriteOperation<BalanceDoc>[] {
  const [first] = changes;
  if (!first) return [];
  const filter = { _id: { $in: changes.map(({ _id }) => _id) } };
  const update = { $inc: { balance: first.delta, lifetimeEarned: first.earned, seq: first.entries } };
  return [{ updateMany: { filter, update } }];
}

const moveEach = (changes: Named[]) =>
  setEach<BalanceDoc, Named>(changes, (own) => ({
    balance: { $add: ["$balance", own(({ delta }) => delta)] },
    lifetimeEarned: { $add: ["$lifetimeEarned", own(({ earned }) => earned)] },
    seq: { $add: ["$seq", own(({ entries }) => entries)] },
  }));

const opening = (change: Named): BalanceDoc => ({
  _id: change._id,
  userId: change.userId,
  channelUserId: change.channelUserId,
  balance: change.delta,
  lifetimeEarned: change.earned,
  seq: change.entries,
});
