import type { Db, MongoClient } from "mongodb";
import { newId } from "../../base/ids.ts";
import { inTransaction } from "../../store/mongo/driver/transaction.ts";
import { type BalanceDoc, balancesCollection } from "../../store/mongo/points/balances.ts";
import { type LedgerDoc, ledgerCollection } from "../../store/mongo/points/ledger.ts";
import type { RedemptionDoc } from "../../store/mongo/points/redemptions.ts";

const CHANNEL = newId();

/** The same work by the bare driver, without an actor: what there is to compare with. */
type Baseline = { client: MongoClient; db: Db };

type Pool = { _id: string; pool: number };

/** Accounts of a channel and their ledger, as the real ones are, indexes included. */
export async function accounts({ db }: Baseline, name: string, users: string[], balance: number) {
  await db.collection(name).createIndexes(balancesCollection.indexes);
  await db.collection(`${name}_ledger`).createIndexes(ledgerCollection.indexes);
  const made = users.map((userId) => ({
    _id: userId,
    userId,
    channelUserId: CHANNEL,
    balance,
    lifetimeEarned: balance,
    seq: 1,
  }));
  await db.collection<BalanceDoc>(name).insertMany(made);
}

/** One transaction for each bet: take the stake, write the bet and its entry, and maybe raise the pool's total. */
export async function betAlone(
  { client, db }: Baseline,
  name: string,
  userId: string,
  withPool: boolean,
): Promise<void> {
  await inTransaction(client, async (session) => {
    const taken = await db
      .collection<BalanceDoc>(name)
      .updateOne({ _id: userId, balance: { $gte: 1 } }, { $inc: { balance: -1, seq: 1 } }, { session });
    if (taken.matchedCount === 0) throw new Error("nothing left");
    await db
      .collection<{ _id: string; userId: string; amount: number }>(`${name}_bets`)
      .insertOne({ _id: newId(), userId, amount: 1 }, { session });
    await db.collection<LedgerDoc>(`${name}_ledger`).insertOne(entry(userId, -1), { session });
    if (withPool) {
      const pools = db.collection<Pool>(`${name}_pool`);
      await pools.updateOne({ _id: "pool" }, { $inc: { pool: 1 } }, { session, upsert: true });
    }
  });
}

/** One transaction for each redemption: take the price, write the redemption and its entry. */
export async function redeemAlone(
  { client, db }: Baseline,
  name: string,
  userId: string,
  doc: Omit<RedemptionDoc, "_id" | "redeemerId">,
): Promise<void> {
  await inTransaction(client, async (session) => {
    const taken = await db
      .collection<BalanceDoc>(name)
      .updateOne({ _id: userId, balance: { $gte: 1 } }, { $inc: { balance: -1, seq: 1 } }, { session });
    if (taken.matchedCount === 0) throw new Error("nothing left");
    await db
      .collection<RedemptionDoc>(`${name}_redemptions`)
      .insertOne({ _id: newId(), redeemerId: userId, ...doc }, { session });
    await db.collection<LedgerDoc>(`${name}_ledger`).insertOne(entry(userId, -1), { session });
  });
}

/** What a batch of redemptions has to write, its room's events and their removal included, and nothing read or decided. */
export async function redeemTogether(
  { client, db }: Baseline,
  name: string,
  userIds: string[],
  doc: Omit<RedemptionDoc, "_id" | "redeemerId">,
): Promise<void> {
  const docs = userIds.map((redeemerId): RedemptionDoc => ({ _id: newId(), redeemerId, ...doc }));
  const outbox = db.collection<{ _id: string }>(`${name}_outbox`);
  const outboxRow = row(name, { version: seq, n: 0, data: {}, target: { inRoom: CHANNEL, events: docs } });
  await inTransaction(client, async (session) => {
    await db
      .collection<BalanceDoc>(name)
      .updateMany({ _id: { $in: userIds } }, { $inc: { balance: -1, seq: 1 } }, { session });
    await db.collection<RedemptionDoc>(`${name}_redemptions`).insertMany(docs, { session });
    const entries = userIds.map((userId) => entry(userId, -1));
    await db.collection<LedgerDoc>(`${name}_ledger`).insertMany(entries, { session });
    await outbox.insertOne(outboxRow, { session });
  });
  await outbox.deleteOne({ _id: outboxRow._id });
}

/** Pays everybody in batches, each one transaction of two bulk writes, and nothing else. */
export async function payAll({ client, db }: Baseline, name: string, users: string[], batch: number) {
  for (let i = 0; i < users.length; i += batch) {
    const some = users.slice(i, i + batch);
    await inTransaction(client, async (session) => {
      await db.collection<BalanceDoc>(name).bulkWrite(
        some.map((_id) => ({ updateOne: { filter: { _id }, update: { $inc: { balance: 2, seq: 1 } } } })),
        { session, ordered: false },
      );
      const entries = some.map((userId) => entry(userId, 2));
      await db.collection<LedgerDoc>(`${name}_ledger`).insertMany(entries, { session });
    });
  }
}

const row = (actor: string, fields: object) => ({ _id: newId(), actor, createdAt: new Date(), ...fields });

let seq = 1;

const entry = (userId: string, delta: number): LedgerDoc => ({
  _id: `payout:${newId()}:${userId}`,
  userId,
  channelUserId: CHANNEL,
  seq: seq++,
  delta,
  reason: "payout",
  ref: CHANNEL,
  balanceAfter: 100,
  createdAt: new Date(),
});

/** What one transition has to write, and nothing decided: the documents are taken as they are from a real one. */
export async function writeTransition(
  { client, db }: Baseline,
  name: string,
  docs: { snapshot: object; prediction: object },
  id: string,
): Promise<void> {
  type Row = { _id: string; actor?: string; timerId?: string };
  const put = (collection: string) => db.collection<Row>(`${name}_${collection}`);
  await inTransaction(client, async (session) => {
    await put("snapshots").replaceOne({ _id: id }, docs.snapshot, { session });
    await put("predictions").replaceOne({ _id: id }, docs.prediction, { session });
    await put("timers").deleteMany({ actor: id, timerId: { $in: ["betting"] } }, { session });
    await put("timers").insertOne(row(id, { timerId: "forgotten", dueAt: new Date(), leasedBy: null }), {
      session,
    });
    await put("history").insertOne(row(id, { version: 2, n: 0 }), { session });
    await put("outbox").insertOne(row(id, { version: 2, n: 0, data: docs.prediction }), { session });
  });
}

type HookDocs = Record<"snapshot" | "subscription" | "timer" | "hook", { _id: string }>;

/** What one report of a renewal has to write, its own row included, and nothing decided. */
export async function writeHook({ client, db }: Baseline, name: string, docs: HookDocs): Promise<void> {
  const put = (collection: string) => db.collection<{ _id: string; actor?: string }>(`${name}_${collection}`);
  const { _id: actor, ...snapshot } = docs.snapshot;
  const { _id: id, ...subscription } = docs.subscription;
  await inTransaction(client, async (session) => {
    await put("hooks").insertOne({ ...docs.hook, _id: newId() }, { session });
    await put("snapshots").replaceOne({ _id: actor }, snapshot, { session });
    await put("subscriptions").replaceOne({ _id: id }, subscription, { session });
    await put("timers").deleteMany({ actor }, { session });
    await put("timers").insertOne({ ...docs.timer, _id: newId() }, { session });
  });
}
