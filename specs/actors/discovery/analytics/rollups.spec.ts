import { expect } from "chai";
import fc from "fast-check";
import { Binary, type Document } from "mongodb";
import { DAY_MS, HOUR_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import { checkRollups } from "../../../../jobs/discovery/analytics/check.ts";
import { activityMarksCollection, touchActivity } from "../../../../store/mongo/channels/activity-marks.ts";
import { followChangesCollection } from "../../../../store/mongo/channels/follow-changes.ts";
import { hourOf } from "../../../../store/mongo/channels/rollup-times.ts";
import { channelDaysCollection } from "../../../../store/mongo/discovery/channel-days.ts";
import { rollupsIn } from "../../../../store/mongo/discovery/rollups.ts";
import { viewershipHoursCollection } from "../../../../store/mongo/discovery/viewership-hours.ts";
import { ledgerCollection } from "../../../../store/mongo/points/ledger.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import type { Stores } from "../../../support/stores.ts";
import { happened, scanOf, writeDown } from "./given-activity.ts";
import { openAnalytics } from "./open-analytics.ts";

const PERIODS = { "7d": 7, "30d": 30, "90d": 90 } as const;
const periods = Object.keys(PERIODS) as (keyof typeof PERIODS)[];

describe("Rollups of a channel", function () {
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

  const days = () => channelDaysCollection.in(stores.mongo.db);
  const marks = () => activityMarksCollection.in(stores.mongo.db);
  const recount = () => {
    const until = new Date(world.clock.now());
    return rollupsIn(stores.mongo.db).recount(channel, new Date(until.getTime() - 92 * DAY_MS), until);
  };
  async function figures(period: keyof typeof PERIODS = "90d") {
    const { points, follows } = await world.analytics.ofCreator(channel, period);
    return { points, follows };
  }

  it("give what a scan gives, whatever of it was counted by then", async () => {
    const some = fc.array(happened(95 * DAY_MS), { maxLength: 60 });
    const later = fc.array(happened(95 * DAY_MS), { maxLength: 6 });
    const passes = fc.nat({ max: 3 * HOUR_MS });
    await fc.assert(
      fc.asyncProperty(some, later, passes, async (counted, uncounted, passed) => {
        channel = newId();
        await writeDown(stores, channel, counted, world.clock.now());
        await recount();
        expect(await recount()).equal(0);
        world.clock.move(passed);
        // As writers leave it that come late.
        const at = (agoMs: number) => ({ channelUserId: channel, at: new Date(world.clock.now() - agoMs) });
        await touchActivity(
          stores.mongo.db,
          uncounted.map(({ agoMs }) => at(agoMs)),
        );
        await writeDown(stores, channel, uncounted, world.clock.now());
        const all = [...counted.map((one) => ({ ...one, agoMs: one.agoMs + passed })), ...uncounted];
        const scans = periods.map((period) => scanOf(all, PERIODS[period] * DAY_MS));

        expect(await Promise.all(periods.map(figures))).deep.equal(scans);
        await world.settle();
        await world.analytics.count(stores.mongo.db);
        expect(await marks().countDocuments({ channelUserId: channel })).equal(0);
        expect(await Promise.all(periods.map(figures))).deep.equal(scans);
      }),
      { numRuns: 12 },
    );
    shows("analytics.points", "analytics.net", "analytics.period");
  });

  it("are made anew of nothing, and mended where they are wrong", async () => {
    const all = fc.sample(happened(80 * DAY_MS), { numRuns: 200, seed: 7 });
    await writeDown(stores, channel, all, world.clock.now());
    await recount();
    const [right, kept] = [await figures(), await days().find({ channelUserId: channel }).toArray()];

    await days().deleteMany({ channelUserId: channel });
    expect((await figures()).points.earned).below(right.points.earned);
    expect(await recount()).greaterThan(50);
    expect(await figures()).deep.equal(right);
    expect(await days().find({ channelUserId: channel }).toArray()).deep.equal(kept);

    const [, wrong] = kept;
    await days().updateOne({ _id: wrong?._id ?? "" }, { $inc: { "hours.0.earned": 5, earned: 5 } });
    expect(await recount()).equal(1);
    expect(await days().find({ channelUserId: channel }).toArray()).deep.equal(kept);
  });

  it("are counted also beside a channel that can't be", async () => {
    const [broken, sound] = [newId(), newId()];
    const at = new Date(world.clock.now() - DAY_MS);
    const entries = stores.mongo.db.collection<Document & { _id: string }>("ledger");
    const own = { userId: newId(), seq: 1, reason: "follow", ref: null, createdAt: at, balanceAfter: 7 };
    await entries.insertMany([
      { ...own, _id: newId(), channelUserId: broken, delta: "seven" },
      { ...own, _id: newId(), channelUserId: sound, delta: 7 },
    ]);
    await touchActivity(stores.mongo.db, [{ channelUserId: broken, at }]);
    await world.settle();
    await touchActivity(stores.mongo.db, [{ channelUserId: sound, at }]);
    const marks = activityMarksCollection.in(stores.mongo.db);
    await marks.updateOne({ channelUserId: sound }, { $set: { touchedAt: new Date(2) } });

    const counted = await world.analytics.count(stores.mongo.db).then(
      () => null,
      (err: unknown) => err,
    );

    expect(counted).instanceOf(Error);
    expect((await days().findOne({ channelUserId: sound }))?.earned).equal(7);
    expect(await marks.distinct("channelUserId")).deep.equal([broken]);
    await days().deleteMany({ channelUserId: sound });
    const [failure, ...more] = (await checkRollups(stores.mongo.db, () => new Date(world.clock.now())))
      .failures;
    expect(more).deep.equal([]);
    expect(failure).contain(broken);
    expect((await days().findOne({ channelUserId: sound }))?.earned).equal(7);
    await Promise.all([marks.deleteMany({}), entries.deleteMany({ channelUserId: broken })]);
  });

  it("are held each night against what was written down in the last days, and go on where a check died", async () => {
    const now = () => new Date(world.clock.now());
    await checkRollups(stores.mongo.db, now);
    // As a worker of an older release writes, which leaves no mark.
    const entries = ledgerCollection.in(stores.mongo.db);
    const others = [newId(), newId(), newId()].sort();
    for (const channelUserId of others) {
      await entries.insertOne({
        _id: newId(),
        userId: newId(),
        channelUserId,
        seq: 1,
        delta: 7,
        balanceAfter: 7,
        reason: "follow",
        ref: null,
        createdAt: new Date(world.clock.now() - DAY_MS),
      });
    }
    expect((await checkRollups(stores.mongo.db, now)).hours).equal(3);
    expect((await checkRollups(stores.mongo.db, now)).hours).equal(0);
    for (const other of others) {
      channel = other;
      expect((await figures()).points.earned).equal(7);
    }
  });

  it("are held each night against what was written down of channels without points, too", async () => {
    const now = () => new Date(world.clock.now());
    const { channels: known } = await checkRollups(stores.mongo.db, now);
    const [followed, watched] = [newId(), newId()];
    const createdAt = new Date(world.clock.now() - DAY_MS);
    await followChangesCollection
      .in(stores.mongo.db)
      .insertOne({ _id: newId(), channelUserId: followed, createdAt, gained: 3, lost: 1 });
    const viewers = new Binary(new Uint8Array());
    await viewershipHoursCollection.in(stores.mongo.db).insertOne({
      _id: newId(),
      channelUserId: watched,
      hour: hourOf(createdAt),
      minutes: { 0: 4 },
      viewers,
    });
    const { channels, hours } = await checkRollups(stores.mongo.db, now);
    expect({ channels, hours }).deep.equal({ channels: known + 2, hours: 2 });
  });
});
