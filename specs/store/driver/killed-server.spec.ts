import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { categoriesCollection, categoriesIn } from "../../../store/mongo/discovery/categories.ts";
import { openMongod } from "../../support/own-mongod.ts";
import { openStores, type Stores } from "../../support/stores.ts";

describe("after MongoDB was killed", function () {
  this.timeout(60_000);
  let mongod: Awaited<ReturnType<typeof openMongod>>;
  let stores: Stores;
  before(async () => {
    mongod = await openMongod();
    stores = await openStores("livecore_spec_killed", { mongodbUrl: mongod.url });
  });
  after(async () => {
    await stores.close();
    await mongod.close();
  });

  it("lists of all that there is have the right total", async () => {
    const { db, client } = stores.mongo;
    const add = (count: number) =>
      categoriesCollection.in(db).insertMany(
        Array.from({ length: count }, (_, n) => ({
          _id: newId(),
          slug: newId(),
          name: `${n}`,
          coverImage: null,
          parentId: null,
          tags: [],
          createdAt: new Date(),
        })),
      );
    await add(10);
    // What comes after this checkpoint is in the journal alone.
    await client.db("admin").command({ fsync: 1 });
    await add(200);
    await mongod.killAndStartAgain();

    expect((await categoriesIn(db).page({ skip: 0, limit: 10 })).total).equal(210);
  });
});
