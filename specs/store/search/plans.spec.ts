import { expect } from "chai";
import { createSearch, SEARCH_KINDS } from "../../../actors/discovery/search/search.ts";
import { newId } from "../../../base/ids.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { followerCountsCollection, followerCountsIn } from "../../../store/mongo/channels/follower-counts.ts";
import { streamTitleOf, streamTitlesCollection } from "../../../store/mongo/channels/stream-titles.ts";
import { streamsCollection } from "../../../store/mongo/channels/streams.ts";
import { categoriesCollection } from "../../../store/mongo/discovery/categories.ts";
import { searchableBy } from "../../../store/mongo/driver/searchable.ts";
import { clipsCollection } from "../../../store/mongo/live/clips.ts";
import { clipDoc } from "../../support/clip-doc.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { streamDoc } from "../../support/stream-doc.ts";
import { userDoc } from "../../support/user-doc.ts";
import { isServed, plansOf } from "../plans/query-plans.ts";

const MANY = 600;
/** Documents: those that are shown, and to spare. */
const MOST = 60;

describe("what searches read", function () {
  this.timeout(60_000);
  let own: Stores;
  let stores: Stores;

  before(async () => {
    own = await openOwnStores();
    stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
    const { db } = stores.mongo;
    const all = Array.from({ length: MANY }, (_, n) => n);
    const users = all.map((n) => userDoc({ username: `gaming_channel_${n}`, search: nameOf(n) }));
    const streams = users.map(({ _id }, n) => streamDoc({ userId: _id, name: `gaming live ${n}` }));
    await usersCollection.in(db).insertMany(users);
    await streamsCollection.in(db).insertMany(streams);
    await streamTitlesCollection.in(db).insertMany(streams.map((stream, n) => streamTitleOf(stream, n)));
    const title = (n: number) => `gaming clip ${n}`;
    const found = (n: number) => searchableBy(title(n), "title", n);
    await clipsCollection
      .in(db)
      .insertMany(all.map((n) => clipDoc({ title: title(n), isListed: true, search: found(n) })));
    await categoriesCollection.in(db).insertMany(
      all.map((n) => ({
        _id: newId(),
        slug: `gaming-${n}`,
        name: title(n),
        coverImage: null,
        parentId: null,
        tags: [],
        search: found(n),
        createdAt: new Date(),
      })),
    );
    await followerCountsCollection.in(db).insertMany(
      users.map(({ _id }, n) => ({
        _id: `${_id}:1`,
        followingId: _id,
        count: n,
        changedAt: new Date(1_700_000_000_000 + n),
      })),
    );
  });
  after(async () => {
    await stores.close();
    await own.close();
  });

  const nameOf = (n: number) => searchableBy(`gaming_channel_${n}`, "name", n);
  const search = (q: string) => {
    const directory = {
      usersByIds: async (ids: readonly string[]) => {
        const found = await usersCollection
          .in(stores.mongo.db)
          .find({ _id: { $in: [...ids] } })
          .toArray();
        return new Map(found.map((user) => [user._id, user]));
      },
    };
    return createSearch({ mongo: stores.mongo, directory })(q, {
      kinds: SEARCH_KINDS,
      limit: 10,
      viewerId: newId(),
    });
  };

  for (const q of [
    "g",
    "gaming",
    "gaming channel 7",
    "gamign",
    "gaminng chanel",
    "nothing of this kind",
    "gaming ".repeat(14),
  ])
    it(`is an index in its order, and bounded: ${q}`, async () => {
      await isServed(stores, () => search(q), MOST);
    });

  it("is no document more than are shown, of a letter that everything begins with", async () => {
    const plans = await plansOf(stores, () => search("g"));
    // Those shown, and to spare, of titles and of names; lookups themselves read no document.
    expect(Math.max(...plans.map(({ docs }) => docs))).most(2 * 30);
    expect(plans.filter(({ docs }) => docs === 0).length).least(8);
  });

  it("is an index in its order: which counts of followers have changed", async () => {
    const counts = followerCountsIn(stores.mongo.db);
    await isServed(stores, () => counts.changedSince(new Date(1_700_000_000_100), 10), 10);
  });
});
