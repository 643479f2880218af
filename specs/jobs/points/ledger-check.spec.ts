// @waits: for repetitions of a nightly check.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { checkLedger } from "../../../jobs/points/ledger-check/check.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import { accountOf, type BalanceDoc } from "../../../store/mongo/points/balances.ts";
import type { LedgerDoc } from "../../../store/mongo/points/ledger.ts";
import { openWorld, type World } from "../../actors/host/world.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import type { Stores } from "../../support/stores.ts";

describe("the nightly ledger check", () => {
  let world: World;
  let users: string[];
  before(async () => {
    world = await openWorld();
    users = await world.viewers(await world.stream(), 10, 50);
  });
  after(() => world.close());

  const RANGE = { accounts: 3, entries: 1_000 };
  const now = () => new Date(world.clock.now());
  const balances = () =>
    world.mongo.db.collection<{ _id: string; userId: string; balance: number }>("balances");

  it("finds every balance equal to its entries, range by range", async () => {
    expect(await checkLedger(world.mongo.db, now, RANGE)).deep.equal({ accounts: 10, deviations: [] });
  });

  it("names a balance that isn't", async () => {
    const [wrong = ""] = users;
    await balances().updateOne({ userId: wrong }, { $inc: { balance: 7 } });
    try {
      const { accounts, deviations } = await checkLedger(world.mongo.db, now, RANGE);

      expect(accounts).equal(10);
      expect(deviations.map(({ balance, entries }) => [balance, entries])).deep.equal([[57, 50]]);
      expect(deviations[0]?.account.startsWith(wrong)).equal(true);
    } finally {
      await balances().updateOne({ userId: wrong }, { $inc: { balance: -7 } });
    }
  });

  it("goes on where a run that died had come to, and begins anew after one that ended", async () => {
    const ids = (await balances().find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    const cursor = jobCursorsIn(world.mongo.db, "ledger-check");
    await cursor.keep(
      { after: ids[5], accounts: 6, deviations: [{ account: "seen", balance: 1, entries: 0 }] },
      now(),
    );

    const resumed = await checkLedger(world.mongo.db, now, RANGE);
    const anew = await checkLedger(world.mongo.db, now, RANGE);

    expect(resumed).deep.equal({ accounts: 10, deviations: [{ account: "seen", balance: 1, entries: 0 }] });
    expect(anew).deep.equal({ accounts: 10, deviations: [] });
  });

  describe("with long accounts", () => {
    const ENTRIES = 60;
    const LENGTHS = [25, 25, 25, 200, 25, 25, 25];
    let stores: Stores;
    beforeEach(async () => {
      stores = await openOwnStores();
      const channelUserId = newId();
      for (const length of LENGTHS) {
        const userId = newId();
        const of = { userId, channelUserId };
        await stores.mongo.db.collection<BalanceDoc>("balances").insertOne({
          _id: accountOf(userId, channelUserId),
          ...of,
          balance: length,
          lifetimeEarned: length,
          seq: length,
        });
        await stores.mongo.db.collection<LedgerDoc>("ledger").insertMany(
          Array.from({ length }, (_, i) => ({
            _id: newId(),
            ...of,
            seq: i + 1,
            delta: 1,
            balanceAfter: i + 1,
            reason: "presence",
            ref: null,
            createdAt: now(),
          })),
        );
      }
    });
    afterEach(() => stores.close());

    it("reads no more entries at a time than it may, of one account neither", async () => {
      const { db } = stores.mongo;
      await db.setProfilingLevel("all");
      const report = await checkLedger(db, now, { accounts: 1_000, entries: ENTRIES });
      await db.setProfilingLevel("off");

      const reads = await db
        .collection<{ docsExamined: number }>("system.profile")
        .find({ "command.aggregate": { $exists: true } })
        .toArray();

      expect(report).deep.equal({ accounts: LENGTHS.length, deviations: [] });
      const looked = reads.map(({ docsExamined }) => docsExamined);
      expect(looked.reduce((sum, one) => sum + one, 0)).least(350);
      // Entries, and their accounts.
      expect(Math.max(...looked)).within(ENTRIES, ENTRIES + LENGTHS.length);
    });

    it("finds a long one that is wrong, and one that has more entries than it knows of", async () => {
      const { db } = stores.mongo;
      const all = await db.collection<BalanceDoc>("balances").find().sort({ _id: 1 }).toArray();
      const [short, long] = [all.find(({ seq }) => seq === 25), all.find(({ seq }) => seq === 200)];
      await db
        .collection<LedgerDoc>("ledger")
        .deleteOne({ userId: String(long?.userId), channelUserId: String(long?.channelUserId), seq: 200 });
      await db
        .collection<BalanceDoc>("balances")
        .updateOne({ _id: String(short?._id) }, { $set: { seq: 0 } });

      const { deviations } = await checkLedger(db, now, { accounts: 1_000, entries: ENTRIES });

      const expected = [
        { account: short?._id, balance: 25, entries: 25 },
        { account: long?._id, balance: 200, entries: 199 },
      ];
      expect(deviations).have.deep.members(expected);
    });

    it("may take longer for a read than a request waits", async () => {
      const { db } = stores.mongo;
      const account = await db.collection<BalanceDoc>("balances").findOne({ seq: 25 });
      const { userId = "", channelUserId = "" } = account ?? {};
      await db.collection("balances").deleteMany({ userId: { $ne: userId } });
      // Reading this account's first entry takes longer than any statement of a request may.
      const slow = { body: "function () { sleep(3300); return true; }", args: [], lang: "js" };
      await db.renameCollection("ledger", "entries");
      await db.createCollection("ledger", {
        viewOn: "entries",
        pipeline: [
          { $match: { userId, channelUserId, $or: [{ seq: { $ne: 1 } }, { $expr: { $function: slow } }] } },
        ],
      });

      const connected = await stores.maintenanceMongo();
      const report = await checkLedger(connected.db, now).finally(() => connected.close());

      expect(report).deep.equal({ accounts: 1, deviations: [] });
    });
  });
});
