import { expect } from "chai";
import { post } from "../../../../actors/points/ledger/post.ts";
import { DAY_MS, HOUR_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import {
  activityMarksCollection,
  activityMarksIn,
  touchActivity,
} from "../../../../store/mongo/channels/activity-marks.ts";
import { hourOf } from "../../../../store/mongo/channels/rollup-times.ts";
import { channelActivityIn } from "../../../../store/mongo/discovery/channel-activity.ts";
import { type ChannelDayDoc, channelDaysCollection } from "../../../../store/mongo/discovery/channel-days.ts";
import { rollupsIn } from "../../../../store/mongo/discovery/rollups.ts";
import { inTransaction } from "../../../../store/mongo/driver/transaction.ts";
import { ledgerCollection } from "../../../../store/mongo/points/ledger.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import type { Stores } from "../../../support/stores.ts";
import { openAnalytics } from "./open-analytics.ts";

const always = () => true;

describe("What is written late", function () {
  this.timeout(60_000);
  let stores: Stores;
  let world: ReturnType<typeof openAnalytics>;
  let channel: string;
  /** Three days ago, when nobody thinks of it any more. */
  let then: Date;
  before(async () => {
    stores = await openOwnStores();
    world = openAnalytics(stores);
  });
  after(() => stores.close());
  beforeEach(() => {
    channel = newId();
    then = new Date(hourOf(new Date(world.clock.now() - 3 * DAY_MS)).getTime() + HOUR_MS / 2);
  });

  const earned = async () => (await world.analytics.ofCreator(channel, "7d")).points.earned;
  const hoursKept = async (): Promise<ChannelDayDoc["hours"]> =>
    (await channelDaysCollection.in(stores.mongo.db).find({ channelUserId: channel }).toArray()).flatMap(
      ({ hours }) => hours,
    );
  const marks = () => activityMarksCollection.in(stores.mongo.db).countDocuments({ channelUserId: channel });
  const movement = (delta: number, at = then) => ({
    key: newId(),
    userId: newId(),
    channelUserId: channel,
    delta,
    at,
    reason: "presence" as const,
    ref: null,
  });
  const give = (delta: number, { at = then, beforeCommit = async () => undefined as unknown } = {}) =>
    inTransaction(stores.mongo.client, async (session) => {
      await post(stores.mongo.db, [movement(delta, at)], session);
      await beforeCommit();
    });
  /** Another process: it hasn't touched anything yet. */
  const elsewhere = () => stores.mongo.client.db(stores.mongo.db.databaseName);

  it("into an hour that was counted is there at once, and in its rollup later", async () => {
    await give(5);
    await world.settle();
    await world.analytics.count(stores.mongo.db);
    expect([await marks(), (await hoursKept())[0]?.earned]).deep.equal([0, 5]);

    await inTransaction(stores.mongo.client, (session) => post(elsewhere(), [movement(7)], session));
    expect(await earned()).equal(12);
    expect(await marks()).equal(1);
    await world.settle();
    await world.analytics.count(stores.mongo.db);
    expect([await marks(), (await hoursKept())[0]?.earned, await earned()]).deep.equal([0, 12, 12]);
  });

  it("isn't lost when its hour is due while its transaction is open", async () => {
    await give(7, {
      beforeCommit: async () => {
        await world.analytics.count(stores.mongo.db);
        expect(await earned()).equal(0);
      },
    });
    expect(await earned()).equal(7);
    await world.settle();
    await world.analytics.count(stores.mongo.db);
    expect([await earned(), (await hoursKept())[0]?.earned]).deep.equal([7, 7]);
  });

  it("isn't lost when somebody writes between a count's reading and its keeping", async () => {
    const { db, client } = stores.mongo;
    await give(5);
    await world.settle();
    const read = await activityMarksIn(db).settled(10, HOUR_MS);
    await touchActivity(elsewhere(), [{ channelUserId: channel, at: then }]);
    const taken = await inTransaction(client, (session) => activityMarksIn(db).take(read, session));
    expect(taken).deep.equal([]);
    expect(await marks()).equal(1);
  });

  it("is kept by nobody twice, and by a worker that slept not at all", async () => {
    const { db, client } = stores.mongo;
    await give(5);
    await world.settle();
    const read = await activityMarksIn(db).settled(10, HOUR_MS);
    await Promise.all([1, 2, 3].map(() => rollupsIn(db).count(always)));
    expect((await hoursKept()).map(({ earned }) => earned)).deep.equal([5]);
    // It has read the marks, and wakes up after the others.
    expect(await inTransaction(client, (session) => activityMarksIn(db).take(read, session))).deep.equal([]);
  });

  it("is all in the rollups in the end, with writers and counters that run, stop and die beside each other", async () => {
    const { db, client } = stores.mongo;
    const settledMs = 2_000;
    const until = performance.now() + 6_000;
    const times = [0, 1, 2, 3].map((n) => new Date(then.getTime() + n * HOUR_MS));
    let sum = 0;
    async function write(): Promise<void> {
      for (let n = 1; performance.now() < until; n++) {
        const at = times[n % times.length] ?? then;
        await inTransaction(client, (session) => post(elsewhere(), [movement(n, at)], session));
        sum += n;
      }
    }
    async function count(): Promise<void> {
      while (performance.now() < until) {
        let left = Math.floor(Math.random() * 3);
        await rollupsIn(db).count(() => left-- > 0, settledMs);
        // A run that is stopped here has kept all of a day, or nothing.
        const [kept, written] = [
          await hoursKept(),
          await channelActivityIn(db).byHour(channel, { from: then }),
        ];
        for (const { hour, earned } of kept) expect(earned).most(written.get(hour.getTime())?.earned ?? 0);
      }
    }
    await Promise.all([write(), write(), write(), count(), count()]);
    expect(await earned()).equal(sum);
    await world.settle();
    await rollupsIn(db).count(always);
    expect((await hoursKept()).reduce((all, { earned }) => all + earned, 0)).equal(sum);
    expect([await marks(), await earned()]).deep.equal([0, sum]);
    expect(await ledgerCollection.in(db).countDocuments({ channelUserId: channel })).greaterThan(20);
  });
});
