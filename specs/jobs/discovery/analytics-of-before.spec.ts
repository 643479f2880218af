import { expect } from "chai";
import fc from "fast-check";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { followChangesCollection } from "../../../store/mongo/channels/follow-changes.ts";
import { followsCollection } from "../../../store/mongo/channels/follows.ts";
import { runBackfill, startBackfill } from "../../../store/mongo/discovery/rollup-check.ts";
import { jobCursorsCollection } from "../../../store/mongo/driver/job-cursors.ts";
import { happened, scanOf, writeDown } from "../../actors/discovery/analytics/given-activity.ts";
import { openAnalytics } from "../../actors/discovery/analytics/open-analytics.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import type { Stores } from "../../support/stores.ts";

const CHANNELS = 5;
const AT_ONCE = 3;
const FOLLOWS = 5;

describe("What happened before analytics were kept", function () {
  this.timeout(60_000);
  let stores: Stores;
  before(async () => {
    stores = await openOwnStores();
  });
  after(() => stores.close());

  it("is counted by jobs, some channels at a time, with the follows that are still there, and once", async () => {
    const { db } = stores.mongo;
    const { analytics, clock } = openAnalytics(stores);
    const channels = Array.from({ length: CHANNELS }, newId);
    const all = fc
      .sample(happened(80 * DAY_MS), { numRuns: 8, seed: 5 })
      .map((one) => ({ ...one, gained: 0, lost: 0, agoMs: one.agoMs + DAY_MS }));
    for (const channel of channels) {
      await writeDown(stores, channel, all, clock.now());
      const follow = (n: number) => {
        const followerId = newId();
        const createdAt = new Date(clock.now() - (20 + (n % 2)) * DAY_MS);
        return { _id: `${followerId}:${channel}`, id: newId(), followerId, followingId: channel, createdAt };
      };
      await followsCollection.in(db).insertMany(Array.from({ length: FOLLOWS }, (_, n) => follow(n)));
    }
    // As a release that knew nothing of them leaves it.
    await followChangesCollection.in(db).deleteMany({});
    await startBackfill(db, new Date(clock.now()));
    const count = () => runBackfill(db, new Date(clock.now()), AT_ONCE);
    const figures = (channel: string) => analytics.ofCreator(channel, "90d");
    const counted = async () => {
      const gained = await Promise.all(channels.map(async (one) => (await figures(one)).follows.gained));
      return gained.filter((each) => each === FOLLOWS).length;
    };

    expect(await counted()).equal(0);
    await count();
    expect(await counted()).equal(AT_ONCE);
    // Died before it could say how far it had come.
    await jobCursorsCollection
      .in(db)
      .updateOne({ _id: "analytics-of-before" }, { $set: { "progress.after": "" } });
    await count();
    await count();
    expect(await counted()).equal(CHANNELS);
    expect(await jobCursorsCollection.in(db).findOne({ _id: "analytics-of-before" })).equal(null);
    const { points } = scanOf(all, 90 * DAY_MS);
    for (const channel of channels) expect((await figures(channel)).points).deep.equal(points);
  });
});
