import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { createPages } from "../../../store/mongo/driver/page.ts";
import { eventually } from "../../support/eventually.ts";
import { openStores, type Stores } from "../../support/stores.ts";

type Doc = { _id: number; of: string };

describe("pages of a list", () => {
  let stores: Stores;
  before(async () => {
    stores = await openStores(`livecore_spec_pages_${process.pid}_${newId().slice(-6)}`, {
      monitorCommands: true,
    });
    await list().createIndex({ of: 1, _id: -1 });
    await list().insertMany(Array.from({ length: 600 }, (_, _id) => ({ _id, of: "all" })));
  });
  after(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  const list = () => stores.mongo.db.collection<Doc>("list");
  const pages = (rememberedMs: number, exactUpTo = 100) => {
    const pageIn = createPages({ exactUpTo, rememberedMs });
    return (skip: number, of = "all") => pageIn(list(), { of }, { _id: -1 }, { skip, limit: 3 });
  };

  it("have the same items in order whether documents or ids are skipped", async () => {
    const page = pages(60_000);
    for (const skip of [0, 199, 200, 201, 550]) {
      const { items } = await page(skip);
      expect(items).deep.equal([1, 2, 3].map((n) => ({ _id: 600 - skip - n, of: "all" })));
    }
    expect((await page(598)).items).length(2);
    expect((await page(700)).items).deep.equal([]);
  });

  it("skip what is in the index alone", async () => {
    const page = pages(60_000);
    const found: unknown[] = [];
    const note = ({ commandName, command }: { commandName: string; command: { skip?: number } }) =>
      commandName === "find" && command.skip ? found.push(command) : undefined;
    stores.mongo.client.on("commandStarted", note);
    await page(500);
    stores.mongo.client.off("commandStarted", note);

    expect(found).length(1);
    const ids = list()
      .find({ of: "all" }, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .skip(500)
      .limit(3);
    expect((await ids.explain("executionStats")).executionStats.totalDocsExamined).equal(0);
    expect(found[0]).deep.include({ projection: { _id: 1 } });
  });

  it("count short lists each time, and long ones anew after a while", async () => {
    const [counted, remembered, soon] = [pages(60_000, 1_000), pages(60_000), pages(1)];
    const totals = async (page: typeof counted) => (await page(0)).total;
    expect(await Promise.all([counted, remembered, soon].map(totals))).deep.equal([600, 600, 600]);

    await list().insertMany([700, 701].map((_id) => ({ _id, of: "all" })));

    expect(await totals(counted)).equal(602);
    expect(await totals(remembered)).equal(600);
    await eventually(async () => expect(await totals(soon)).equal(602));
    await list().insertOne({ _id: 900, of: "one" });
    expect((await remembered(0, "one")).total).equal(1);
    await list().deleteMany({ _id: { $gte: 700 } });
  });
});
