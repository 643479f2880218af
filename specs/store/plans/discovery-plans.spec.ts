import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { followedChannelsIn } from "../../../store/mongo/channels/followed-channels.ts";
import { followerCountsCollection } from "../../../store/mongo/channels/follower-counts.ts";
import { followsCollection, followsIn } from "../../../store/mongo/channels/follows.ts";
import { WHILE_LIVE } from "../../../store/mongo/channels/stream-positions.ts";
import { streamsCollection, streamsIn } from "../../../store/mongo/channels/streams.ts";
import { watchedTopicsIn } from "../../../store/mongo/chat/watched-topics.ts";
import {
  type CategoryDoc,
  categoriesCollection,
  categoriesIn,
  MAX_SUBCATEGORIES,
} from "../../../store/mongo/discovery/categories.ts";
import { categoryRemovalsIn } from "../../../store/mongo/discovery/category-removals.ts";
import { listedStreamsIn } from "../../../store/mongo/live/listed-streams.ts";
import { liveCandidatesIn } from "../../../store/mongo/live/live-candidates.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { streamDoc } from "../../support/stream-doc.ts";
import * as plans from "./query-plans.ts";

const NOW = new Date();
const MANY = 300;
const CATEGORIES = 10;

describe("what discovery reads", function () {
  this.timeout(60_000);
  let own: Stores;
  let stores: Stores;
  const [me, star] = [newId(), newId()];
  const categories: CategoryDoc[] = Array.from({ length: CATEGORIES }, (_, n) => ({
    _id: newId(),
    slug: `c-${n}`,
    name: `C ${n}`,
    coverImage: null,
    tags: [],
    createdAt: NOW,
    parentId: n < 2 ? null : "parent",
    liveViewers: n,
  }));
  const ids = categories.map(({ _id }) => _id);
  const users = Array.from({ length: MANY }, () => newId());

  before(async () => {
    own = await openOwnStores();
    stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
    const { db } = stores.mongo;
    await categoriesCollection.in(db).insertMany(categories);
    const language = (n: number) => (n % 3 === 0 ? "en" : "de");
    const streams = users.map((userId, n) => {
      const place = { since: new Date(NOW.getTime() - n), until: WHILE_LIVE, ranks: { even: n, odd: n } };
      const isLive = n % 2 === 0;
      const shown = { userId, isLive, categoryId: ids[n % CATEGORIES] ?? null, language: language(n) };
      return streamDoc({ ...shown, viewerCount: n, ...(isLive ? { place } : {}) });
    });
    await streamsCollection.in(db).insertMany(streams);
    const follow = (followerId: string, followingId: string, n: number) => ({
      _id: `${followerId}:${followingId}`,
      id: newId(),
      followerId,
      followingId,
      createdAt: new Date(NOW.getTime() - n),
    });
    const follows = users.flatMap((user, n) => [
      follow(me, user, n),
      follow(user, star, n),
      follow(user, users[(n + 1) % MANY] ?? "", n),
    ]);
    await followsCollection.in(db).insertMany(follows);
    await followerCountsCollection.in(db).insertOne({ _id: `${star}:1`, followingId: star, count: MANY });
  });
  after(async () => {
    await stores.close();
    await own.close();
  });

  const plansOf = (act: () => Promise<unknown>) => plans.plansOf(stores, act);
  const isServed = (act: () => Promise<unknown>, mostDocs: number) => plans.isServed(stores, act, mostDocs);

  const liveIn = (categoryId: string, n: number) => {
    const place = { since: new Date(NOW.getTime() - n), until: WHILE_LIVE, ranks: { even: n, odd: n } };
    return streamDoc({ categoryId, isLive: true, place });
  };
  const listed = () => listedStreamsIn(stores.mongo.db);

  it("is an index in its order: categories", async () => {
    const found = categoriesIn(stores.mongo.db);
    // A page reads one more, by which it knows whether it is the last.
    await isServed(() => found.page({ skip: 5, limit: 3 }), 4);
    await isServed(() => found.idsBelow("parent"), 0);
    await isServed(() => found.findBySlug("c-3"), 1);
  });

  for (const order of ["recent", "viewers"] as const) {
    it(`is an index in its order: streams of categories and languages (${order})`, async () => {
      const page = { order, skip: 5, limit: 5 };
      await isServed(() => listed().page({ ...page, filter: { categoryIds: ids.slice(0, 1) } }, NOW), 5);
      // One of each category, those that are shown, and one more.
      const some = { categoryIds: ids.slice(2) };
      await isServed(() => listed().page({ ...page, filter: some }, NOW), some.categoryIds.length + 6);
      await isServed(() => listed().page({ ...page, filter: { language: "de" } }, NOW), 5);
    });

    it(`is an index in its order: streams of as many categories as one may have (${order})`, async () => {
      const filter = { categoryIds: Array.from({ length: MAX_SUBCATEGORIES + 1 }, () => newId()) };
      await streamsCollection
        .in(stores.mongo.db)
        .insertMany(filter.categoryIds.flatMap((categoryId) => [1, 2, 3].map((n) => liveIn(categoryId, n))));
      const page = () => listed().page({ order, skip: 5, limit: 5, filter }, NOW);
      await isServed(page, filter.categoryIds.length + 5);
    });
  }

  it("is an index in its order: candidates of recommendations", async () => {
    const live = liveCandidatesIn(stores.mongo.db);
    await isServed(() => live.most(10, NOW), 10);
    await isServed(() => live.mostIn(ids[0] ?? "", 10, NOW), 10);
    await isServed(() => live.mostSpeaking("de", 10, NOW), 10);
    await isServed(() => live.ofUsers(users.slice(0, 20), NOW), 20);
    await isServed(() => watchedTopicsIn(stores.mongo.db).most(me, "category", 5), 5);
  });

  it("is keys alone: followers, and whom somebody follows, however many are skipped", async () => {
    const follows = followsIn(stores.mongo.db);
    await isServed(() => follows.followersOf(star, { skip: 200, limit: 10 }), 0);
    await isServed(() => follows.followedBy(me, { skip: 200, limit: 10 }), 0);
    await isServed(() => follows.countFollowed(me), 0);
  });

  it("is no more of followed channels than who is live", async () => {
    const query = { followerId: me, order: "viewers", now: NOW } as const;
    const followed = followedChannelsIn(stores.mongo.db);
    const asRun = await plansOf(() => followed.pageLiveFirst(query, 0, 10));
    expect(asRun).lengthOf(2);
    for (const { text } of asRun) expect(text).not.match(/"stage":"(COLLSCAN|SORT)"/);
    expect(Math.max(...asRun.map(({ docs }) => docs))).equal(MANY / 2);
  });

  it("is bounded, of what is followed in common", async () => {
    const followed = followedChannelsIn(stores.mongo.db);
    const [plan] = await plansOf(() => followed.followedInCommon(me, 20));
    expect(plan?.text).not.include("COLLSCAN");
    // Fifty of the caller's follows, and at most twenty of each.
    expect(plan?.docs).most(50 * 21);
  });

  it("is an index, for what a removed category and the counts of viewers touch", async () => {
    const touched = () => categoryRemovalsIn(stores.mongo.db).finish(newId(), NOW);
    for (const { text } of await plansOf(touched)) expect(text).not.include("COLLSCAN");
    const live = await streamsCollection.in(stores.mongo.db).countDocuments({ isLive: true });
    await isServed(() => streamsIn(stores.mongo.db).liveByCategory(), live);
  });
});
