// @waits: for servers that can't be reached.
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { eventually } from "../../support/eventually.ts";
import { mongodAddress, throughProxy } from "../../support/mongod-address.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";

describe("An operation on MongoDB", function () {
  this.timeout(60_000);
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  let mongo: Mongo;
  beforeEach(async () => {
    proxy = await openTcpProxy(Number(mongodAddress().port));
    mongo = await connectMongo({
      url: throughProxy(mongodAddress(), proxy.port),
      database: `livecore_spec_away_${process.pid}`,
      selectionTimeoutMs: 1_000,
      socketTimeoutMs: 1_000,
      maxPoolSize: 50,
    });
  });
  afterEach(async () => {
    await mongo.close();
    await proxy.close();
  });

  const ask = () => mongo.db.collection("docs").findOne({});
  /** Gives "answered" or "failed". */
  const ends = (operation: Promise<unknown>) =>
    operation.then(
      () => "answered",
      () => "failed",
    );

  it("that begins while its connection breaks fails, as others do", async () => {
    const ended: string[] = [];
    let begun = 0;
    for (let cuts = 0; cuts < 3; cuts++) {
      await eventually(() => Promise.all(Array.from({ length: 10 }, ask)), { withinMs: 15_000 });
      proxy.forwardTo(1);
      for (let i = 0; i < 30; i++) {
        begun++;
        void ends(ask()).then((how) => ended.push(how));
        await turn();
      }
      await eventually(() => expect(ended).length(begun), { withinMs: 8_000 });
      proxy.forwardTo(Number(mongodAddress().port));
    }
    expect(new Set(ended)).deep.equal(new Set(["failed"]));
  });
});
