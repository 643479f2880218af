import { expect } from "chai";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { activityMarksCollection } from "../../../store/mongo/channels/activity-marks.ts";
import { streamsCollection, streamsIn } from "../../../store/mongo/channels/streams.ts";
import { channelDaysCollection } from "../../../store/mongo/discovery/channel-days.ts";
import { viewershipHoursCollection } from "../../../store/mongo/discovery/viewership-hours.ts";
import { openAnalytics } from "../../actors/discovery/analytics/open-analytics.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import type { Stores } from "../../support/stores.ts";
import { streamDoc } from "../../support/stream-doc.ts";

const NOTHING = { peak_viewers: 0, unique_viewers: 0, watch_time_minutes: 0 };

describe("Viewership", function () {
  this.timeout(60_000);
  let stores: Stores;
  let world: ReturnType<typeof openAnalytics>;
  let streamId: string;
  let channel: string;
  before(async () => {
    stores = await openOwnStores();
  });
  after(() => stores.close());
  beforeEach(async () => {
    world = openAnalytics(stores);
    // To the beginning of a day, so that minutes and hours are as the spec says.
    world.clock.move(2 * DAY_MS - (world.clock.now() % DAY_MS));
    await Promise.all(
      [streamsCollection, viewershipHoursCollection, channelDaysCollection, activityMarksCollection].map(
        ({ name }) => stores.mongo.db.collection(name).deleteMany({}),
      ),
    );
    await stores.mongo.db.collection("job_cursors").deleteMany({});
    [streamId, channel] = [newId(), newId()];
    await streamsIn(stores.mongo.db).insert(streamDoc({ _id: streamId, userId: channel, isLive: true }));
  });

  const watch = (...devices: string[]) =>
    Promise.all(
      devices.map((deviceId) =>
        world.presence.heartbeat({ streamId, viewer: { deviceId, ip: `10.0.0.${deviceId.length}` } }),
      ),
    );
  const seen = async (period: "7d" | "90d" = "7d") =>
    (await world.analytics.ofCreator(channel, period)).viewership;
  /** A worker of its own. */
  const another = () => openAnalytics(stores, world.clock).analytics;
  async function minute(...devices: string[]): Promise<void> {
    await watch(...devices);
    await world.analytics.look();
    world.clock.move(MINUTE_MS);
  }

  it("is what each minute's look found: the most, who they were, and the minutes of all", async () => {
    await minute("a", "b", "c");
    await minute("a", "d");
    await minute();
    await minute("a");
    expect(await seen()).deep.equal({
      peak_viewers: 3,
      unique_viewers: 4,
      watch_time_minutes: 6,
      source: "mongodb",
    });
  });

  it("counts a minute once, however many workers look, and one that died in the middle", async () => {
    await watch("a", "b");
    await Promise.all([world.analytics.look(), another().look(), another().look()]);
    await another().look();
    // As if they had died before they could say that it is done.
    await stores.mongo.db.collection("job_cursors").deleteMany({});
    await another().look();
    expect(await seen()).include({ peak_viewers: 2, unique_viewers: 2, watch_time_minutes: 2 });
  });

  it("goes on when the last look was by a clock that was ahead", async () => {
    world.clock.move(DAY_MS);
    await minute("a");
    world.clock.move(-DAY_MS);
    await minute("a", "b");
    expect(await seen()).include({ peak_viewers: 2, source: "mongodb" });
  });

  it("is known of all but those whose node of Redis is away, who miss no minute in which it comes back", async () => {
    const elsewhere = newId();
    await streamsIn(stores.mongo.db).insert(streamDoc({ _id: elsewhere, userId: newId(), isLive: true }));
    const node = { isAway: true };
    const presence = {
      ...world.presence,
      async countEach(ids: readonly string[]) {
        const counts = await world.presence.countEach(ids);
        if (node.isAway) counts.delete(streamId);
        return counts;
      },
    };
    const { analytics } = openAnalytics(stores, world.clock, presence);
    const look = () =>
      analytics.look().then(
        () => null,
        (err: unknown) => String(err),
      );
    await minute("a", "b");
    world.clock.move(10 * MINUTE_MS);
    await watch("a", "c");

    expect(await look()).contain("could not be counted");
    expect(await seen()).include({ watch_time_minutes: 2, source: "mongodb" });
    node.isAway = false;
    expect(await look()).equal(null);
    expect(await seen()).include({ unique_viewers: 3, watch_time_minutes: 4 });
  });

  it("goes on when Redis has forgotten who watches", async () => {
    await minute("a", "b");
    await stores.redis.del(...(await stores.redis.keys(`*${streamId}*`)));
    await minute("c");
    expect(await seen()).include({ peak_viewers: 2, unique_viewers: 3, watch_time_minutes: 3 });
  });

  it("is of the minutes from the period's first on, and the same once days are rolled up", async () => {
    await minute("early", "a");
    world.clock.move(30 * MINUTE_MS);
    await minute("a");
    world.clock.move(DAY_MS);
    await minute("b", "c", "d");
    const whole = { peak_viewers: 3, unique_viewers: 5, watch_time_minutes: 6 };
    expect(await seen()).include(whole);
    await world.settle();
    await world.analytics.count(stores.mongo.db);
    expect(await channelDaysCollection.in(stores.mongo.db).countDocuments({ channelUserId: channel })).equal(
      2,
    );
    world.clock.move(6 * DAY_MS - 40 * MINUTE_MS);
    await world.analytics.look();
    expect(await seen()).include(whole);
    // Past its first minute, but in the hour in which it begins.
    world.clock.move(20 * MINUTE_MS);
    await world.analytics.look();
    expect(await seen()).include({ peak_viewers: 3, unique_viewers: 5, watch_time_minutes: 4 });
    world.clock.move(HOUR_MS);
    await world.analytics.look();
    expect(await seen()).include({ peak_viewers: 3, unique_viewers: 3, watch_time_minutes: 3 });
    expect(await seen("90d")).include(whole);
  });

  it("is zero and unavailable before the first look, and when none came for five minutes", async () => {
    expect(await seen()).deep.equal({ ...NOTHING, source: "unavailable" });
    await minute("a");
    expect(await seen()).include({ unique_viewers: 1, source: "mongodb" });
    world.clock.move(4 * MINUTE_MS);
    expect(await seen()).deep.equal({ ...NOTHING, source: "unavailable" });
    await world.analytics.look();
    expect(await seen()).include({ unique_viewers: 1, source: "mongodb" });
    shows("analytics.unavailable");
  });
});
