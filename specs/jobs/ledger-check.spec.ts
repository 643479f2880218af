import { expect } from "chai";
import { checkLedger } from "../../jobs/ledger-check/check.ts";
import { jobCursorsIn } from "../../store/mongo/job-cursors.ts";
import { openWorld, type World } from "../actors/world.ts";

describe("the nightly ledger check", () => {
  let world: World;
  let users: string[];
  before(async () => {
    world = await openWorld();
    users = await world.viewers(await world.stream(), 10, 50);
  });
  after(() => world.close());

  const RANGE = 3;
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
});
