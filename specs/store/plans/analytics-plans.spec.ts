import { expect } from "chai";
import fc from "fast-check";
import { DAY_MS, HOUR_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { activityMarksCollection, activityMarksIn } from "../../../store/mongo/channels/activity-marks.ts";
import { dayOf, hourOf } from "../../../store/mongo/channels/rollup-times.ts";
import { channelActivityIn } from "../../../store/mongo/discovery/channel-activity.ts";
import { channelDaysCollection, channelDaysIn } from "../../../store/mongo/discovery/channel-days.ts";
import { backfillChannelAfter, channelAfter } from "../../../store/mongo/discovery/rollup-check.ts";
import { viewershipHoursIn } from "../../../store/mongo/discovery/viewership-hours.ts";
import {
  type SubscriptionDoc,
  subscriptionsCollection,
  subscriptionsIn,
} from "../../../store/mongo/monetization/subscriptions.ts";
import { type TipDoc, tipsCollection, tipsIn } from "../../../store/mongo/monetization/tips.ts";
import { happened, writeDown } from "../../actors/discovery/analytics/given-activity.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { isServed, plansOf } from "./query-plans.ts";

const NOW = new Date();
const MANY = 300;

describe("what analytics read", function () {
  this.timeout(60_000);
  let own: Stores;
  let stores: Stores;
  const [channel, other] = [newId(), newId()];
  before(async () => {
    own = await openOwnStores();
    stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
    const { db } = stores.mongo;
    for (const id of [channel, other]) {
      const some = fc.sample(happened(90 * DAY_MS), { numRuns: MANY, seed: 3 });
      await writeDown(stores, id, some, NOW.getTime());
      const hours = Array.from({ length: MANY }, (_, n) => hourOf(new Date(NOW.getTime() - n * HOUR_MS)));
      await activityMarksCollection.in(db).insertMany(
        hours.map((hour) => ({
          _id: `${id}:${hour.getTime()}`,
          channelUserId: id,
          hour,
          touchedAt: new Date(NOW.getTime() - 1_000),
        })),
      );
      await subscriptionsCollection
        .in(db)
        .insertMany(Array.from({ length: MANY }, (_, n) => subscription(id, n)));
      await tipsCollection.in(db).insertMany(Array.from({ length: MANY }, (_, n) => tip(id, n)));
      await channelDaysCollection.in(db).insertMany(
        Array.from({ length: 90 }, (_, n) => {
          const day = dayOf(new Date(NOW.getTime() - n * DAY_MS));
          return {
            _id: `${id}:${day.getTime()}`,
            channelUserId: id,
            day,
            hours: [],
            redeemed: [],
            earned: 0,
            spent: 0,
            gained: 0,
            lost: 0,
            peakViewers: 0,
            watchedMinutes: 0,
            viewers: null,
          };
        }),
      );
    }
  });
  after(async () => {
    await stores.close();
    await own.close();
  });

  const since = new Date(NOW.getTime() - 7 * DAY_MS);

  it("is keys alone, of what is written down", async () => {
    const { db } = stores.mongo;
    const range = { from: since, until: new Date(since.getTime() + 2 * HOUR_MS) };
    await isServed(stores, () => channelActivityIn(db).byHour(channel, range), 0);
    await isServed(stores, () => channelActivityIn(db).byHour(channel, { from: since }), 0);
    await isServed(stores, () => tipsIn(db).centsByDay(channel, { from: since }), 0);
    await isServed(stores, () => subscriptionsIn(db).activeByTier(channel), 0);
    await isServed(stores, () => subscriptionsIn(db).startedByDay(channel, { from: since }), 0);
    await isServed(stores, () => subscriptionsIn(db).cancelledIn(channel, { from: since }), 0);
    await isServed(stores, () => channelAfter(db, ""), 1);
    await isServed(stores, () => backfillChannelAfter(db, ""), 1);
  });

  it("is no more than the time's own keys", async () => {
    const range = { from: since, until: new Date(since.getTime() + 1) };
    for (const { text } of await plansOf(stores, () =>
      channelActivityIn(stores.mongo.db).byHour(channel, range),
    ))
      expect(Math.max(...[...text.matchAll(/"totalKeysExamined":(\d+)/g)].map(([, n]) => Number(n)))).most(2);
  });

  it("is an index, of rollups and marks", async () => {
    const { db } = stores.mongo;
    const [first, today] = [dayOf(since), dayOf(NOW)];
    await isServed(
      stores,
      () => channelDaysIn(db).closed(channel, { after: first, before: today, open: [] }),
      6,
    );
    await isServed(stores, () => channelDaysIn(db).hoursOf(channel, [first, today]), 2);
    await isServed(stores, () => viewershipHoursIn(db).ofHours(channel, [hourOf(since)]), 0);
    await isServed(stores, () => activityMarksIn(db).since(channel, hourOf(NOW)), 1);
    await isServed(stores, () => activityMarksIn(db).settled(10, 0), 10);
  });
});

function subscription(channelUserId: string, n: number): SubscriptionDoc {
  const at = new Date(NOW.getTime() - n * HOUR_MS);
  return {
    _id: newId(),
    subscriberId: newId(),
    channelUserId,
    tier: n % 2 === 0 ? 1 : 3,
    nextTier: null,
    status: n % 3 === 0 ? "cancelled" : "active",
    isCurrent: true,
    isGift: false,
    giftedBy: null,
    priceCents: 499,
    startedAt: at,
    renewsAt: at,
    entitledUntil: at,
    cancelledAt: n % 3 === 0 ? at : null,
  };
}

function tip(toUserId: string, n: number): TipDoc {
  const at = new Date(NOW.getTime() - n * HOUR_MS);
  return {
    _id: newId(),
    fromUserId: null,
    isAnonymous: true,
    toUserId,
    amountCents: 100,
    currency: "USD",
    message: null,
    status: n % 2 === 0 ? "completed" : "refunded",
    isHidden: false,
    platformId: null,
    createdAt: at,
    paidAt: at,
    refundedAt: null,
    removeAt: null,
  };
}
