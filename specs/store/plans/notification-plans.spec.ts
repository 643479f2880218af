import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { followsCollection } from "../../../store/mongo/channels/follows.ts";
import { followersBefore } from "../../../store/mongo/notifications/followers-before.ts";
import {
  notificationFactsCollection,
  notificationFactsIn,
} from "../../../store/mongo/notifications/notification-facts.ts";
import {
  MAX_NOTIFICATIONS,
  notificationsCollection,
  notificationsIn,
} from "../../../store/mongo/notifications/notifications.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { isServed, plansOf } from "./query-plans.ts";

const NOW = new Date();
const MANY = MAX_NOTIFICATIONS + 40;
const ago = (ms: number) => new Date(+NOW - ms);

describe("what notifications read", () => {
  let own: Stores;
  let stores: Stores;
  const [me, star] = [newId(), newId()];
  const others = Array.from({ length: MANY }, newId);

  before(async () => {
    own = await openOwnStores();
    stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
    const { db } = stores.mongo;
    const line = (userId: string, n: number) => ({
      _id: n + 1,
      userId,
      type: "follower" as const,
      isRead: n % 2 === 0,
      createdAt: ago(n),
      told: { kind: "follower" as const, data: { followerId: star } },
    });
    const lines = others.flatMap((other, n) => [line(me, 2 * n), line(other, 2 * n + 1)]);
    await notificationsCollection.in(db).insertMany(lines);
    await followsCollection.in(db).insertMany(
      others.map((followerId, n) => ({
        _id: `${followerId}:${star}`,
        id: newId(),
        followerId,
        followingId: star,
        createdAt: ago(Math.floor(n / 100)),
      })),
    );
    const fact = (n: number, isDue: boolean, toFollowers: boolean) => ({
      _id: newId(),
      kind: "follower" as const,
      data: { followerId: me },
      type: "follower" as const,
      userId: star,
      toFollowers,
      createdAt: ago(n),
      listedAt: isDue ? null : NOW,
    });
    const facts = others.map((_, n) => fact(n, n % 20 === 0, n % 40 === 0));
    // As releases wrote them that knew no lists.
    const old = [1, 2, 3].map((n) => {
      const { listedAt: _, ...row } = fact(n, true, false);
      return row;
    });
    await notificationFactsCollection.in(db).insertMany([...facts, ...old]);
    const newer = others.map((_, n) => ({
      ...fact(MANY + n, true, n % 2 === 0),
      kind: "of a newer release",
    }));
    await notificationFactsCollection.in<(typeof newer)[number]>(db).insertMany(newer);
  });
  after(async () => {
    await stores.close();
    await own.close();
  });

  it("is an index in its order: a user's list, how many are unread, what is past the newest", async () => {
    const found = notificationsIn(stores.mongo.db);
    await isServed(stores, () => found.page(me, { skip: 20, limit: 10 }), 11);
    await isServed(stores, () => found.unread(me), 0);
    await stores.mongo.client.withSession(async (session) => {
      await isServed(stores, () => found.standings([me, ...others], session), 0);
      await isServed(stores, () => found.trim(me, session), 0);
    });
    expect((await found.page(me, { skip: 0, limit: 1 })).total).equal(MAX_NOTIFICATIONS);
  });

  it("is an index in its order: what is due, of older releases too", async () => {
    const facts = notificationFactsIn(stores.mongo.db);
    await isServed(stores, () => facts.due(false, 5), 5);
    await isServed(stores, () => facts.due(true, 5), 5);
    await isServed(stores, () => facts.unknownKind(), 1);
    expect(await facts.unknownKind()).equal("of a newer release");
    expect((await facts.due(false, 1_000)).length).equal(MANY / 20 - Math.ceil(MANY / 40) + 3);
  });

  it("is an index in its order: who followed, from a follower on", async () => {
    const { db } = stores.mongo;
    const [first] = await followersBefore(db, star, { at: NOW, after: null, limit: 1 });
    const after = first ? { createdAt: first.createdAt, followId: first._id } : null;
    await isServed(stores, () => followersBefore(db, star, { at: NOW, after, limit: 10 }), 10);
    const [plan] = await plansOf(stores, () => followersBefore(db, star, { at: NOW, after, limit: 10 }));
    // Followers of the same moment that were already notified are not read one by one.
    expect(Number(/"totalKeysExamined":(\d+)/.exec(plan?.text ?? "")?.[1])).most(30);
  });
});
