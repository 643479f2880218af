import { expect } from "chai";
import type { Collection } from "mongodb";
import { batchedFinds } from "../../../store/mongo/driver/batched-finds.ts";
import { outboxIn } from "../../../store/mongo/host/outbox.ts";
import { hooksIn } from "../../../store/mongo/monetization/hooks.ts";
import { mailsIn } from "../../../store/mongo/notifications/mails.ts";
import { notificationDeliveriesIn } from "../../../store/mongo/notifications/notification-deliveries.ts";
import { auditEntriesIn } from "../../../store/mongo/safety/audit-entries.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { isServed } from "../plans/query-plans.ts";

type Fruit = { _id: string; grams: number; isRipe: boolean };

describe("Finds that begin at the same moment", () => {
  let own: Stores;
  let stores: Stores;
  let pears: Collection<Fruit>;
  let plums: Collection<Fruit>;
  const commands: string[] = [];
  before(async () => {
    own = await openOwnStores();
    stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
    const { db, client } = stores.mongo;
    pears = db.collection("pears");
    plums = db.collection("plums");
    const many = Array.from({ length: 200 }, (_, n) => ({ _id: `${n}`, grams: n, isRipe: n % 2 === 0 }));
    await pears.insertMany(many);
    await plums.insertOne({ _id: "one", grams: 30, isRipe: true });
    client.on("commandStarted", ({ commandName }) => void commands.push(commandName));
  });
  beforeEach(() => void commands.splice(0));
  after(async () => {
    await stores.close();
    await own.close();
  });

  it("are one command, whose results are each its own, in order, within its limit", async () => {
    const find = batchedFinds(stores.mongo.db);
    const again = batchedFinds(stores.mongo.db);

    const [heaviest, light, ripe, nothing, unknown] = await Promise.all([
      find(pears, { isRipe: true }, { sort: { grams: -1 }, limit: 150, projection: { grams: 1 } }),
      find(pears, { grams: { $lt: 2 } }, { sort: { grams: 1 }, limit: 10 }),
      again(plums, { isRipe: true }, { limit: 1 }),
      again(plums, { isRipe: false }, { limit: 1 }),
      find(stores.mongo.db.collection<Fruit>("quinces"), {}, { limit: 1 }),
    ]);

    expect(commands).deep.equal(["aggregate"]);
    expect(heaviest).length(100);
    expect(heaviest.slice(0, 2)).deep.equal([
      { _id: "198", grams: 198 },
      { _id: "196", grams: 196 },
    ]);
    expect(light.map(({ _id }) => _id)).deep.equal(["0", "1"]);
    expect(ripe).deep.equal([{ _id: "one", grams: 30, isRipe: true }]);
    expect([nothing, unknown]).deep.equal([[], []]);
  });

  it("go by indexes, as each does by itself", async () => {
    const { db } = stores.mongo;
    const now = new Date();
    const act = () =>
      Promise.all([
        mailsIn(db).due(now, 10),
        hooksIn(db).due("billing", now, 10),
        outboxIn(db).headsAfter(""),
        auditEntriesIn(db).due(now, 10),
        notificationDeliveriesIn(db).due(now, 10),
      ]);

    await isServed(stores, act, 0);

    expect(commands).deep.equal(["aggregate", "explain"]);
  });

  it("keep no other from its result when one of them fails", async () => {
    const find = batchedFinds(stores.mongo.db);
    const wrong = { $expr: { $divide: [1, "$nothing"] }, grams: { $divide: 0 } } as object;

    const [failed, ripe] = await Promise.allSettled([
      find(pears, wrong, { limit: 1 }),
      find(plums, { isRipe: true }, { limit: 1 }),
    ]);

    expect(failed.status).equal("rejected");
    expect(ripe).deep.include({ status: "fulfilled" });
    expect(commands).deep.equal(["aggregate", "aggregate", "aggregate"]);
  });
});
