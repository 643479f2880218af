import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { type Streams, streamsCollection, streamsIn } from "../../../store/mongo/channels/streams.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import {
  type ListedStreams,
  type LiveOrder,
  listedStreamsIn,
} from "../../../store/mongo/live/listed-streams.ts";
import { streamDoc } from "../../support/stream-doc.ts";

const SECOND = 1_000;
/** The begin of an even window. */
const START = Date.UTC(2026, 0, 1);

describe("places in lists of live streams", () => {
  let mongo: Mongo;
  let streams: Streams;
  let listed: ListedStreams;
  let now: number;
  let ids: string[];

  before(async () => {
    mongo = await connectMongo({
      url: process.env.MONGODB_URL ?? "",
      database: `livecore_spec_listed_${process.pid}`,
      selectionTimeoutMs: 5_000,
      maxPoolSize: 5,
    });
    streams = streamsIn(mongo.db);
    listed = listedStreamsIn(mongo.db);
  });
  after(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });

  beforeEach(async () => {
    await mongo.db.dropDatabase();
    await mongo.db.collection("streams").createIndexes(streamsCollection.indexes);
    now = START;
    ids = [];
    for (let n = 0; n < 6; n++) {
      ids.push(newId());
      await streams.insert(streamDoc({ _id: ids[n] ?? "" }));
      await goLive(n, START - (60 - n) * SECOND);
    }
  });

  const idOf = (n: number): string => ids[n] ?? "";
  const goLive = (n: number, since = now) =>
    inTransaction(mongo.client, (session) =>
      streams.turnLive(
        [{ streamId: idOf(n), sessionId: newId(), liveSince: new Date(since), at: new Date(now) }],
        session,
      ),
    );
  const goOffline = (n: number) =>
    inTransaction(mongo.client, (session) =>
      streams.turnOffline([{ streamId: idOf(n), at: new Date(now) }], session),
    );
  const watched = (counts: readonly number[]) =>
    streams.setViewerCounts(counts.map((viewerCount, n) => ({ streamId: idOf(n), viewerCount })));
  const keep = () => listed.keep(new Date(now));

  async function page(number: number, order: LiveOrder = "recent", perPage = 2) {
    const query = { filter: {}, order, skip: (number - 1) * perPage, limit: perPage };
    const { items, total } = await listed.page(query, new Date(now));
    return { shown: items.map(({ _id }) => ids.indexOf(_id)), total };
  }
  const all = async (order: LiveOrder = "recent") => (await page(1, order, 100)).shown;

  it("stand with the newest broadcast first", async () => {
    expect(await page(1)).deep.equal({ shown: [5, 4], total: 6 });
    expect(await page(3)).deep.equal({ shown: [1, 0], total: 6 });
    expect(await page(4)).deep.equal({ shown: [], total: 6 });
  });

  for (const order of ["recent", "viewers"] as const) {
    it(`lose nobody to those who read on while others come and go (${order})`, async () => {
      const first = await page(1, order);
      await goOffline(first.shown[0] ?? -1);
      await keep();
      now += 20 * SECOND;
      await keep();
      const second = await page(2, order);
      ids.push(newId());
      await streams.insert(streamDoc({ _id: idOf(6) }));
      await goLive(6);
      await goOffline(second.shown[1] ?? -1);
      now += 9 * SECOND;
      await keep();

      const read = [first, second, await page(3, order), await page(4, order)].flatMap(({ shown }) => shown);

      expect(read).include.members([0, 1, 2, 3, 4, 5]);
    });
  }

  it("are kept for 30 to 60 s, and given up together at the end of a window", async () => {
    now = START + 1 * SECOND;
    await goOffline(5);
    now = START + 29 * SECOND;
    await goOffline(3);
    now = START + 59 * SECOND + 999;
    await keep();
    expect(await page(1)).deep.equal({ shown: [4], total: 6 });
    now = START + 60 * SECOND;
    expect(await page(1), "before anything was written").deep.equal({ shown: [4, 2], total: 4 });
    await keep();

    expect(await page(1)).deep.equal({ shown: [4, 2], total: 4 });
    expect((await streams.find(idOf(5)))?.place).equal(undefined);
    expect((await streams.find(idOf(4)))?.place).not.equal(undefined);
  });

  it("are not counted behind the last stream that is live", async () => {
    for (const n of [0, 1, 4]) await goOffline(n);
    expect(await page(1, "recent", 100)).deep.equal({ shown: [5, 3, 2], total: 4 });
    for (const n of [2, 3, 5]) await goOffline(n);
    expect(await page(1)).deep.equal({ shown: [], total: 0 });
  });

  it("are taken again by a channel that comes back soon, and at the head by one that was away for longer", async () => {
    await goOffline(3);
    now += 20 * SECOND;
    await goLive(3);
    expect(await all()).deep.equal([5, 4, 3, 2, 1, 0]);

    await goOffline(3);
    now += 61 * SECOND;
    await goLive(3);
    expect(await all()).deep.equal([3, 5, 4, 2, 1, 0]);
  });

  it("are sorted by the viewers of the window's begin, all of them at once", async () => {
    now = START + 20 * SECOND;
    await watched([9, 0, 5, 0, 0, 7]);
    await keep();
    expect(await all("viewers"), "this window").deep.equal([5, 4, 3, 2, 1, 0]);
    now = START + 30 * SECOND;
    expect(await all("viewers")).deep.equal([0, 5, 2, 4, 3, 1]);

    await watched([0, 8, 5, 0, 0, 7]);
    for (const second of [31, 44, 46, 56]) {
      now = START + second * SECOND;
      await keep();
      expect(await all("viewers"), `second ${second}`).deep.equal([0, 5, 2, 4, 3, 1]);
    }
    now = START + 60 * SECOND;
    expect(await all("viewers")).deep.equal([1, 5, 2, 4, 3, 0]);
  });

  it("are given to streams that a release without places turned live", async () => {
    await streams.update(idOf(2), { $unset: { place: "" } });
    expect(await all()).deep.equal([5, 4, 3, 1, 0]);
    // Whatever is kept meanwhile makes no half a place.
    now = START + 20 * SECOND;
    await keep();
    await listed.adopt(new Date(now));
    expect(await all()).deep.equal([5, 4, 3, 2, 1, 0]);

    // One that it turned off.
    await streams.update(idOf(1), { $set: { isLive: false }, $unset: { place: "" } });
    await goOffline(1);
    expect((await streams.find(idOf(1)))?.place).equal(undefined);
  });

  it("end for streams that a release without places turned off", async () => {
    for (const n of [1, 4]) await streams.update(idOf(n), { $set: { isLive: false } });
    await goLive(4);
    expect(await all(), "begun anew at the head").deep.equal([4, 5, 3, 2, 0]);

    await listed.adopt(new Date(now));
    now += 60 * SECOND;
    await keep();
    expect(await page(1, "recent", 100)).deep.equal({ shown: [4, 5, 3, 2, 0], total: 5 });
    expect((await streams.find(idOf(1)))?.place).equal(undefined);
  });

  it("aren't ranked at the very end of a window, which the writing would outlast", async () => {
    await watched([9, 0, 0, 0, 0, 0]);
    now = START + 28 * SECOND;
    await keep();
    now = START + 30 * SECOND;
    expect(await all("viewers")).deep.equal([5, 4, 3, 2, 1, 0]);
  });

  it("aren't walked through to find nothing behind the end, nor fetched to be skipped", async () => {
    const profiled = async () =>
      mongo.db
        .collection("system.profile")
        .find({ ns: `${mongo.db.databaseName}.streams`, "command.skip": { $gt: 0 } })
        .toArray();
    await mongo.db.command({ profile: 2 });
    try {
      expect((await page(9)).shown).deep.equal([]);
      expect(await profiled()).deep.equal([]);
      expect((await page(3)).shown).deep.equal([1, 0]);
      expect((await profiled()).map(({ docsExamined }) => docsExamined)).deep.equal([0]);
    } finally {
      await mongo.db.command({ profile: 0 });
    }
  });

  it("are read by an index, without sorting", async () => {
    const plans: string[] = [];
    const watching = await connectMongo({
      url: process.env.MONGODB_URL ?? "",
      database: mongo.db.databaseName,
      selectionTimeoutMs: 5_000,
      maxPoolSize: 2,
      monitorCommands: true,
    });
    const finds: { sort: Record<string, 1 | -1>; filter: object }[] = [];
    watching.client.on("commandStarted", ({ commandName, command }) => {
      if (commandName === "find" && command.sort) finds.push({ sort: command.sort, filter: command.filter });
    });
    try {
      for (const order of ["recent", "viewers"] as const) {
        await listedStreamsIn(watching.db).page({ filter: {}, order, skip: 0, limit: 2 }, new Date(now));
      }
      for (const { filter, sort } of finds) {
        const explained = await mongo.db.collection("streams").find(filter).sort(sort).limit(2).explain();
        plans.push(JSON.stringify(explained.queryPlanner.winningPlan));
      }
    } finally {
      await watching.close();
    }
    expect(plans).length(4);
    for (const plan of plans) {
      expect(plan).include("place.");
      expect(plan).not.match(/"SORT"|"COLLSCAN"/);
    }
  });
});
