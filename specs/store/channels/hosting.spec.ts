import { expect } from "chai";
import type { CommandStartedEvent, Document } from "mongodb";
import { newId } from "../../../base/ids.ts";
import { hostingCollection, hostingIn } from "../../../store/mongo/channels/hosting.ts";
import { migrate } from "../../../store/mongo/schema/migrate.ts";
import { movableClock } from "../../support/clock.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openStores } from "../../support/stores.ts";

describe("what the sweep of hosting reads", () => {
  it("is found by an index, whatever the number of channels that host nobody", async () => {
    const stores = await openStores(`livecore_spec_hosting_${process.pid}`, { monitorCommands: true });
    try {
      const { mongo } = stores;
      await migrate(mongo, { clock: movableClock(), log: quietLog() });
      const idle = { version: 0, hosted: null, autoHost: [newId()], autoDueAt: null };
      const rows = Array.from({ length: 300 }, () => ({ _id: newId(), streamId: newId(), ...idle }));
      await hostingCollection.in(mongo.db).insertMany(rows);
      const queries: Document[] = [];
      const note = ({ commandName, command }: CommandStartedEvent) => {
        if (["find", "aggregate"].includes(commandName)) queries.push(command);
      };
      mongo.client.on("commandStarted", note);
      const hosting = hostingIn(mongo.db);
      const now = new Date();
      await hosting.due(now, 100);
      await hosting.targetOfflineSince(now, 100);
      for await (const _ of hosting.targets(100));
      mongo.client.off("commandStarted", note);

      expect(queries).lengthOf(3);
      for (const { lsid: _lsid, $db: _db, $clusterTime: _time, txnNumber: _number, ...query } of queries) {
        const plan = await mongo.db.command({ explain: query, verbosity: "executionStats" });
        const text = JSON.stringify(plan);
        expect(text).not.include("COLLSCAN");
        expect(Math.max(...[...text.matchAll(/"totalDocsExamined":(\d+)/g)].map(([, n]) => Number(n)))).equal(
          0,
        );
      }
    } finally {
      await stores.mongo.db.dropDatabase();
      await stores.close();
    }
  });
});
