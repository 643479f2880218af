import { expect } from "chai";
import { usersCollection, usersIn } from "../../../store/mongo/accounts/users.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { userDoc } from "../../support/user-doc.ts";

describe("standings of accounts", () => {
  let own: Stores;
  let stores: Stores;
  const finds: object[] = [];
  before(async () => {
    own = await openOwnStores();
    stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
    stores.mongo.client.on("commandStarted", ({ command }) => {
      if (command.find === usersCollection.name) finds.push(command.projection);
    });
  });
  after(async () => {
    await stores.close();
    await own.close();
  });

  it("reads the standings that requests of one turn of I/O ask for by one command", async () => {
    const { db } = stores.mongo;
    const [active, banned] = [userDoc(), userDoc({ status: "banned" })];
    await usersCollection.in(db).insertMany([active, banned]);
    const { loadStanding } = usersIn(db);
    // Each in a macrotask of its own, as requests of several connections are read.
    const later = (id: string) => new Promise((read) => setImmediate(() => read(loadStanding(id))));

    const read = await Promise.all([active._id, banned._id, "nobody"].map(later));

    expect(read).deep.equal([
      { _id: active._id, status: "active" },
      { _id: banned._id, status: "banned" },
      null,
    ]);
    expect(finds).deep.equal([{ status: 1 }]);
  });
});
