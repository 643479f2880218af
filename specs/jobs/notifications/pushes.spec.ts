import { expect } from "chai";
import { createFcm } from "../../../actors/notifications/push/fcm.ts";
import { newId } from "../../../base/ids.ts";
import { startPushes } from "../../../jobs/notifications/pushes.ts";
import { pushDevicesCollection } from "../../../store/mongo/notifications/push-devices.ts";
import { pushesCollection } from "../../../store/mongo/notifications/pushes.ts";
import { startFcm } from "../../actors/notifications/push/services.ts";
import { withChildren } from "../../stress/children.ts";
import { bundle } from "../../support/bundle.ts";
import { type MovableClock, movableClock } from "../../support/clock.ts";
import { specCore } from "../../support/core.ts";
import { eventually } from "../../support/eventually.ts";
import { givenChannels } from "../../support/given-channels.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { openWorld, type World } from "../../support/world.ts";
import type { Input } from "./messages.ts";

const QUEUE = "{bull}:pushes:*";

describe("Pushes, carried by BullMQ,", function () {
  this.timeout(60_000);
  let world: World;
  let stores: Stores;
  let fcm: Awaited<ReturnType<typeof startFcm>>;
  before(async () => {
    // Its own jobs push nothing: it knows no service.
    world = await openWorld();
    stores = await openStores(world.core.mongo.db.databaseName);
  });
  after(async () => {
    await stores.close();
    await world.close();
  });
  beforeEach(async () => {
    fcm = await startFcm();
  });
  afterEach(() => fcm.close());

  const rows = () => pushesCollection.in(stores.mongo.db);

  /** Messages to one device, each to be pushed. */
  async function givenPushes(count: number): Promise<string[]> {
    const { id: userId, api } = await givenChannels(world).user();
    await api.ok("registerDevice", { body: { device_token: `fcm:${newId()}`, device_type: "android" } });
    const device = (await pushDevicesCollection.in(stores.mongo.db).findOne({ userId }))?._id ?? "";
    const ids = Array.from({ length: count }, newId);
    const at = new Date();
    const usefulUntil = new Date(at.getTime() + 6 * 3_600_000);
    await rows().insertMany(
      ids.map((collapseId) => ({
        _id: `${collapseId}-${device.slice(0, 8)}`,
        userId,
        device,
        message: { title: "Hi", body: "Hi", link: null, type: "follower", count: 1, collapseId, usefulUntil },
        state: "waiting" as const,
        tries: 0,
        createdAt: at,
        dueAt: at,
      })),
    );
    return ids;
  }

  const tags = () =>
    fcm.received.map(({ body }) => String(JSON.parse(String(body)).message.android.notification.tag));
  const timesOf = (ids: string[]) => ids.map((id) => tags().filter((tag) => tag === id).length);
  const waiting = () => rows().countDocuments({ state: "waiting" });

  /** Workers of this process, until `use` is over. */
  async function withWorkers(count: number, clock: MovableClock, use: () => Promise<unknown>): Promise<void> {
    const started: { stop(): Promise<void> }[] = [];
    for (let n = 0; n < count; n++) {
      const senders = { fcm: createFcm(fcm.settings, clock, { url: fcm.url }) };
      const core = specCore(stores, { clock, pushSenders: senders });
      started.push(await startPushes({ ...core, blockingRedis: stores.blockingRedis }));
    }
    try {
      await use();
    } finally {
      for (const one of started) await one.stop();
    }
  }

  it("go out once each, by however many workers", async () => {
    const ids = await givenPushes(300);
    await withWorkers(3, movableClock(), () =>
      eventually(async () => (await waiting()) === 0, { withinMs: 20_000 }),
    );
    expect(timesOf(ids)).deep.equal(Array(300).fill(1));
    expect(await rows().countDocuments({ message: { $ne: null } })).equal(0);
  });

  it("go out once each, also when Redis forgets them in the middle", async () => {
    const ids = await givenPushes(200);
    await withWorkers(2, movableClock(), async () => {
      await eventually(() => fcm.received.length > 20);
      const known = await stores.redis.keys(QUEUE);
      expect(known).not.deep.equal([]);
      await stores.redis.del(...known);
      await eventually(async () => (await waiting()) === 0, { withinMs: 30_000 });
    });
    expect(timesOf(ids)).deep.equal(Array(200).fill(1));
  });

  it("aren't lost with a worker that is killed, and come twice only as the same message", async () => {
    const ids = await givenPushes(50);
    fcm.answering.with = () => null;
    const module = await bundle("specs/jobs/notifications/child.ts");
    await withChildren(async (start) => {
      const input: Input = { database: stores.mongo.db.databaseName, settings: fcm.settings, url: fcm.url };
      const child = start(module, input);
      // It has so many under way at a time, none of which is answered.
      await eventually(() => fcm.received.length === 20, { withinMs: 20_000 });
      child.kill("SIGKILL");
      await child.ended;
    });
    const underWay = tags();
    fcm.answering.with = () => ({ status: 200, body: { name: "m" } });

    const clock = movableClock();
    await withWorkers(1, clock, async () => {
      const isLeft = async () => (await waiting()) === underWay.length;
      await eventually(isLeft, { withinMs: 20_000, what: "the others are sent" });
      expect(tags()).length(50);
      clock.move(61_000);
      await eventually(async () => (await waiting()) === 0, { withinMs: 20_000 });
    });

    expect(timesOf(ids)).deep.equal(ids.map((id) => (underWay.includes(id) ? 2 : 1)));
  });
});
