import { expect } from "chai";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { openSketch } from "../../../../base/viewer-sketch.ts";
import { touchActivity } from "../../../../store/mongo/channels/activity-marks.ts";
import { hourOf } from "../../../../store/mongo/channels/rollup-times.ts";
import { rollupsIn } from "../../../../store/mongo/discovery/rollups.ts";
import { viewershipHoursIn } from "../../../../store/mongo/discovery/viewership-hours.ts";
import { inTransaction } from "../../../../store/mongo/driver/transaction.ts";
import { analyticsKnownSince } from "../../../../store/mongo/schema/migrations/0013-analytics-known-since.ts";
import { movableClock } from "../../../support/clock.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import type { Stores } from "../../../support/stores.ts";
import { happened, scanOf, writeDown } from "./given-activity.ts";
import { openAnalytics } from "./open-analytics.ts";

const PERIODS = { "7d": 7, "30d": 30, "90d": 90 } as const;

describe("analytics: the period before, and single days", function () {
  this.timeout(60_000);
  let stores: Stores;
  let world: ReturnType<typeof openAnalytics>;
  let channel: string;
  before(async () => {
    stores = await openOwnStores();
    world = openAnalytics(stores);
  });
  after(() => stores.close());
  beforeEach(() => {
    channel = newId();
  });

  it("sums the period before to the millisecond, and days to the whole", async () => {
    const some = fc.array(happened(182 * DAY_MS), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(some, fc.nat({ max: 3 * HOUR_MS }), async (all, passed) => {
        channel = newId();
        await writeDown(stores, channel, all, world.clock.now());
        const until = new Date(world.clock.now());
        await rollupsIn(stores.mongo.db).recount(channel, new Date(until.getTime() - 180 * DAY_MS), until);
        world.clock.move(passed);
        const aged = all.map((one) => ({ ...one, agoMs: one.agoMs + passed }));
        for (const [period, count] of Object.entries(PERIODS) as [keyof typeof PERIODS, number][]) {
          const found = await world.analytics.ofCreator(channel, period);
          const before = aged.flatMap((one) =>
            one.agoMs > count * DAY_MS ? [{ ...one, agoMs: one.agoMs - count * DAY_MS }] : [],
          );
          const { points, follows } = scanOf(before, count * DAY_MS);
          expect(found.previous?.follows).deep.equal(follows);
          expect(found.previous?.points).deep.equal({ earned: points.earned, spent: points.spent });
          const sum = (name: "follows_gained" | "follows_lost" | "points_earned" | "points_spent") =>
            found.days.reduce((total, day) => total + day[name], 0);
          expect([sum("follows_gained"), sum("follows_lost")]).deep.equal([
            found.follows.gained,
            found.follows.lost,
          ]);
          expect([sum("points_earned"), sum("points_spent")]).deep.equal([
            found.points.earned,
            found.points.spent,
          ]);
          expect(found.days).length(count + 1);
        }
      }),
      { numRuns: 10 },
    );
  });

  it("gives viewers to the period and the day in which they were counted", async () => {
    const { db, client } = stores.mongo;
    world = openAnalytics(stores, movableClock());
    const now = world.clock.now();
    const looked = async (agoMs: number, count: number): Promise<void> => {
      const at = new Date(Math.floor((now - agoMs) / MINUTE_MS) * MINUTE_MS);
      const minute = { hour: hourOf(at), minute: Math.floor((at.getTime() % HOUR_MS) / MINUTE_MS) };
      const viewers = openSketch(null);
      for (let viewer = 0; viewer < count; viewer++) viewers.add(viewer * 1_000_003);
      await inTransaction(client, async (session) => {
        await viewershipHoursIn(db).keep(
          minute,
          [{ channelUserId: channel, count, viewers: viewers.bytes() }],
          session,
        );
        await touchActivity(db, [{ channelUserId: channel, at: minute.hour }]);
      });
    };
    await world.analytics.look();
    await looked(8 * DAY_MS, 5);
    await looked(7 * DAY_MS + 2 * MINUTE_MS, 2);
    await looked(7 * DAY_MS - 2 * MINUTE_MS, 3);
    await looked(DAY_MS, 4);
    for (const isRolledUp of [false, true]) {
      if (isRolledUp) {
        await world.settle();
        await world.analytics.count(db);
      }
      const { viewership, previous, days } = await world.analytics.ofCreator(channel, "7d");
      expect(viewership).include({ peak_viewers: 4, watch_time_minutes: 7 });
      expect(previous?.viewership).include({ peak_viewers: 5, watch_time_minutes: 7 });
      expect(days.map((day) => day.watch_time_minutes).filter((minutes) => minutes > 0)).deep.equal([3, 4]);
      expect(Math.max(...days.map((day) => day.peak_viewers))).equal(4);
    }
  });

  it("has no period before that an older release didn't keep", async () => {
    await writeDown(
      stores,
      channel,
      fc.sample(happened(80 * DAY_MS), { numRuns: 5, seed: 1 }),
      world.clock.now(),
    );
    const until = new Date(world.clock.now());
    await rollupsIn(stores.mongo.db).recount(channel, new Date(until.getTime() - 90 * DAY_MS), until);
    await analyticsKnownSince.run(stores.mongo.db);
    const { analytics } = openAnalytics(stores, movableClock());
    expect((await analytics.ofCreator(channel, "90d")).previous).equal(null);
    expect((await analytics.ofCreator(channel, "30d")).previous).not.equal(null);
  });
});
