import type { AnyBulkWriteOperation, ClientSession, Db } from "mongodb";
import { inOneReply, setEach } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import { pageIn } from "./page.ts";

/** What one user has of one channel's points; `_id` is "user:channel". Always the sum of its ledger entries. */
export type BalanceDoc = {
  _id: string;
  userId: string;
  channelUserId: string;
  /** Integer, never negative. */
  balance: number;
  /** Sum of what was earned (not of payouts and refunds); never falls. */
  lifetimeEarned: number;
  /** Number of ledger entries. */
  seq: number;
};

/** All movements of one account in one transaction, summed up. */
export type BalanceChange = {
  userId: string;
  channelUserId: string;
  delta: number;
  earned: number;
  entries: number;
  /** The change happens only when this much is there. */
  floor: number;
};

/** Fewer that move alike go with the others. */
const WORTH_A_STATEMENT = 10;

/** An account after its movements. */
export type Moved = Pick<BalanceDoc, "balance" | "seq">;

export const balancesCollection = defineCollection<BalanceDoc>("balances", {
  personal: {
    erase: { userId: "delete", channelUserId: "delete", _id: { with: "userId" } },
    exports: [{ by: "userId", shows: ["channelUserId", "balance", "lifetimeEarned"] }],
  },

  indexes: [
    // pageOf sorts by itself: with the balance in the index every movement would move its entry.
    { key: { userId: 1 } },
  ],
});

export const accountOf = (userId: string, channelUserId: string) => `${userId}:${channelUserId}`;

export function balancesIn(db: Db) {
  const balances = balancesCollection.in(db);
  return {
    find: (userId: string, channelUserId: string, session?: ClientSession) =>
      balances.findOne({ _id: accountOf(userId, channelUserId) }, session ? { session } : {}),
    /** What these have, without those who never had any. */
    ofUsers: (userIds: string[], channelUserId: string) =>
      balances
        .find(
          { _id: { $in: userIds.map((userId) => accountOf(userId, channelUserId)) } },
          inOneReply(userIds.length),
        )
        .project<Pick<BalanceDoc, "userId" | "balance">>({ _id: 0, userId: 1, balance: 1 })
        .toArray(),
    /** Richest first. */
    pageOf: (userId: string, skip: number, limit: number) =>
      pageIn(balances, { userId }, { balance: -1, _id: 1 }, { skip, limit }),
    /**
     * Moves the balances, opens those that aren't there, and returns all as they then are; null when one doesn't reach
     * its floor: the transaction must then be given up. One opened by somebody else meanwhile is a duplicate key.
     */
    async move(changes: BalanceChange[], session: ClientSession): Promise<Map<string, Moved> | null> {
      const named = changes.map((change) => ({
        ...change,
        _id: accountOf(change.userId, change.channelUserId),
      }));
      await balances.bulkWrite(movesOf(named), { session, ordered: false });
      const ids = named.map(({ _id }) => _id);
      const found = await balances
        .find({ _id: { $in: ids } }, { session, ...inOneReply(ids.length) })
        .project<Moved & { _id: string }>({ balance: 1, seq: 1 })
        .toArray();
      const moved = new Map<string, Moved>(found.map((doc) => [doc._id, doc]));
      const opened = named.filter(({ _id }) => !moved.has(_id)).map(opening);
      for (const doc of opened) moved.set(doc._id, doc);
      if (named.some(({ _id, delta, floor }) => (moved.get(_id)?.balance ?? 0) - delta < floor)) return null;
      if (opened.length > 0) await balances.insertMany(opened, { session });
      return moved;
    },
  };
}

type Named = BalanceChange & { _id: string };

/** Accounts that move alike take one statement, which costs less than half of one that gives each its own. */
function movesOf(changes: readonly Named[]): AnyBulkWriteOperation<BalanceDoc>[] {
  const alike = new Map<string, Named[]>();
  for (const change of changes) {
    const amounts = `${change.delta} ${change.earned} ${change.entries}`;
    const same = alike.get(amounts) ?? [];
    same.push(change);
    alike.set(amounts, same);
  }
  const groups = [...alike.values()];
  const several = groups.filter(({ length }) => length >= WORTH_A_STATEMENT);
  const others = groups.filter(({ length }) => length < WORTH_A_STATEMENT).flat();
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
