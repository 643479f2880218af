import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { migrate } from "../../../store/mongo/schema/migrate.ts";
import { tagsAsSeen } from "../../../store/mongo/schema/migrations/0011-tags-as-seen.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openStores, type Stores } from "../../support/stores.ts";

type Tagged = { _id: string; tags: string[] };

describe("migration of tags", () => {
  let stores: Stores;
  beforeEach(async () => {
    stores = await openStores(`livecore_spec_tags_${process.pid}_${newId().slice(-6)}`, {
      monitorCommands: true,
    });
  });
  afterEach(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  const tagged = (collection: "streams" | "categories") => stores.mongo.db.collection<Tagged>(collection);
  const tagsOf = async (collection: "streams" | "categories") =>
    (await tagged(collection).find().sort({ _id: 1 }).toArray()).map(({ tags }) => tags);

  /** As the release before stored them, with what is unique in their collection. */
  async function store(collection: "streams" | "categories", ...rows: string[][]) {
    const docs = rows.map((tags, n) => {
      const own = `${collection} ${n}`;
      return { _id: `${n}`, tags, userId: own, roomId: n, streamKeyHash: own, slug: own };
    });
    await tagged(collection).insertMany(docs);
  }

  it("renews those of streams and categories when a database of an older release is completed", async () => {
    const before = ["i̇stanbul", " cafe\u0301 ", "ｃｏｓｙ", "speed run"];
    await store("streams", before, ["plain"], []);
    await store("categories", before, ["plain"]);
    const applied = Array.from({ length: 10 }, (_, n) => ({ _id: n + 1, name: "of before" }));
    await stores.mongo.db.collection<{ _id: number }>("migrations").insertMany(applied);

    await migrate(stores.mongo, { clock: { now: () => 1_700_000_000_000 }, log: quietLog() });

    const seen = ["istanbul", "café", "cosy", "speed run"];
    expect(await tagsOf("streams")).deep.equal([seen, ["plain"], []]);
    expect(await tagsOf("categories")).deep.equal([seen, ["plain"]]);
  });

  it("keeps no tag twice, where several are seen as one", async () => {
    await store("streams", ["istanbul", "i̇stanbul", "café", "cafe\u0301", "cosy"]);

    await tagsAsSeen.run(stores.mongo.db);

    expect(await tagsOf("streams")).deep.equal([["istanbul", "café", "cosy"]]);
  });

  it("renews all, however many, and changes nothing when it runs again", async () => {
    const many = Array.from({ length: 1_201 }, (_, n) => [`tag ${n}`, " é"]);
    await store("streams", ...many);

    for (let run = 0; run < 2; run++) {
      await tagsAsSeen.run(stores.mongo.db);
      expect((await tagsOf("streams")).filter(([, tag]) => tag !== "é")).deep.equal([]);
    }
  });

  it("lets a change win that is made after the tags were read", async () => {
    await store("streams", [" é"], [" é"]);
    const { client } = stores.mongo;
    const session = client.startSession();
    try {
      session.startTransaction();
      await tagged("streams").updateOne({ _id: "0" }, { $set: { tags: ["new"] } }, { session });
      let renews = false;
      client.on("commandStarted", ({ commandName }) => {
        renews ||= commandName === "update";
      });
      // Its write waits for the transaction, whose change it hasn't read.
      const run = tagsAsSeen.run(stores.mongo.db);
      await eventually(() => renews);
      await session.commitTransaction();
      await run;
    } finally {
      await session.endSession();
    }

    expect(await tagsOf("streams")).deep.equal([["new"], ["é"]]);
  });
});
