import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { repairAllSearch } from "../../../jobs/discovery/search/repair.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { followsCollection } from "../../../store/mongo/channels/follows.ts";
import { LIVE_WEIGHT, streamTitlesCollection } from "../../../store/mongo/channels/stream-titles.ts";
import { streamsCollection } from "../../../store/mongo/channels/streams.ts";
import { categoriesCollection } from "../../../store/mongo/discovery/categories.ts";
import { searchableBy } from "../../../store/mongo/driver/searchable.ts";
import { clipsCollection } from "../../../store/mongo/live/clips.ts";
import { migrate } from "../../../store/mongo/schema/migrate.ts";
import { clipDoc } from "../../support/clip-doc.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { streamDoc } from "../../support/stream-doc.ts";
import { userDoc } from "../../support/user-doc.ts";

const MANY = 23;

describe("what searches find by", () => {
  const now = () => new Date(1_700_000_000_000);
  const ago = (n: number) => new Date(+now() - n);
  const users = Array.from({ length: MANY }, (_, n) => userDoc({ username: `person_${n}` }));
  const streams = users.map(({ _id }, n) =>
    streamDoc({ userId: _id, name: `Show ${n}`, isLive: n % 2 === 0 }),
  );
  const clips = users.map((_, n) => clipDoc({ title: `Clip ${n}`, viewsCount: n }));
  let stores: Stores;

  beforeEach(async () => {
    stores = await openStores(`livecore_spec_search_${process.pid}_${newId().slice(-6)}`);
    // As the release before wrote them.
    const { db } = stores.mongo;
    await usersCollection.in(db).insertMany(users);
    await streamsCollection.in(db).insertMany(streams);
    await clipsCollection.in(db).insertMany(clips);
    const follow = (followingId: string, n: number) => {
      const followerId = newId();
      return { _id: `${followerId}:${followingId}`, id: newId(), followerId, followingId, createdAt: ago(n) };
    };
    await followsCollection
      .in(db)
      .insertMany(users.flatMap(({ _id }, many) => Array.from({ length: many }, (_, n) => follow(_id, n))));
    await migrate(stores.mongo, { clock: { now: () => +now() }, log: quietLog() });
  });
  afterEach(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  const repair = () => repairAllSearch(stores.mongo.db, now, 5);
  const userAt = async (n: number) =>
    (await usersCollection.in(stores.mongo.db).findOne({ _id: users[n]?._id ?? "" }))?.search;
  const titles = () => streamTitlesCollection.in(stores.mongo.db);
  const titleAt = (n: number) => titles().findOne({ _id: streams[n]?._id ?? "" });

  async function expectAllRight(): Promise<void> {
    for (const n of users.keys()) {
      expect(await userAt(n)).deep.equal(searchableBy(`person_${n}`, "name", n));
      const title = await titleAt(n);
      const { keys, weight } = searchableBy(`Show ${n}`, "title", n);
      expect(title).include({ name: `Show ${n}`, userId: users[n]?._id, isLive: n % 2 === 0 });
      expect(title?.search).deep.equal({ keys, weight: weight + (n % 2 === 0 ? LIVE_WEIGHT : 0) });
      const clip = await clipsCollection.in(stores.mongo.db).findOne({ _id: clips[n]?._id ?? "" });
      expect(clip?.search).deep.equal(searchableBy(`Clip ${n}`, "title", n));
    }
    const categories = await categoriesCollection.in(stores.mongo.db).find().toArray();
    for (const { name, search } of categories)
      expect(search, name).deep.equal(searchableBy(name, "title", 0));
  }

  it("is there for what was there before, by a migration", expectAllRight);

  it("is put right where it differs, page by page, and left alone where it doesn't", async () => {
    const { db } = stores.mongo;
    await usersCollection.in(db).updateOne({ username: "person_3" }, { $unset: { search: "" } });
    await usersCollection.in(db).updateOne({ username: "person_4" }, { $set: { "search.weight": 400 } });
    await titles().deleteOne({ name: "Show 7" });
    await titles().updateOne({ name: "Show 9" }, { $set: { name: "Former", isLive: true } });
    await clipsCollection.in(db).updateOne({ title: "Clip 2" }, { $set: { "search.keys": ["former"] } });
    await categoriesCollection.in(db).updateOne({ slug: "puzzle" }, { $unset: { search: "" } });
    const left = { _id: newId(), userId: newId(), name: "Gone", isLive: false };
    await titles().insertOne({ ...left, search: searchableBy("Gone", "title", 0) });

    const { repaired } = await repair();

    expect(repaired).equal(7);
    await expectAllRight();
    expect(await titles().countDocuments({ name: "Gone" }), "of a stream that isn't there").equal(0);
    expect((await repair()).repaired).equal(0);
  });

  it("is left as it is where the name was changed meanwhile", async () => {
    const { db } = stores.mongo;
    const [one] = users;
    const renamed = { username: "another", search: searchableBy("another", "name", 0) };
    await usersCollection.in(db).updateOne({ _id: one?._id ?? "" }, { $set: renamed });

    await repair();

    expect(await userAt(0)).deep.equal(renamed.search);
  });
});
