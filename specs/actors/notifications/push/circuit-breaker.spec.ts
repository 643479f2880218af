import { expect } from "chai";
import type { PushSender } from "../../../../actors/notifications/push/sender.ts";
import { newId } from "../../../../base/ids.ts";
import { startPushes } from "../../../../jobs/notifications/pushes.ts";
import { pushDevicesCollection } from "../../../../store/mongo/notifications/push-devices.ts";
import { pushesCollection } from "../../../../store/mongo/notifications/pushes.ts";
import { specCore } from "../../../support/core.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Given, givenChannels } from "../../../support/given-channels.ts";
import { openStores, type Stores } from "../../../support/stores.ts";
import { openWorld, type World } from "../../../support/world.ts";

const HANGS_MS = 300;

describe("A push service that doesn't answer", function () {
  this.timeout(60_000);
  let world: World;
  let stores: Stores;
  let given: Given;
  before(async () => {
    world = await openWorld();
    stores = await openStores(world.core.mongo.db.databaseName);
    given = givenChannels(world);
  });
  after(async () => {
    await stores.close();
    await world.close();
  });

  const rows = () => pushesCollection.in(stores.mongo.db);

  async function givenPushes(count: number, device_token: string, device_type: "ios" | "android") {
    const { id: userId, api } = await given.user();
    await api.ok("registerDevice", { body: { device_token, device_type } });
    const device = (await pushDevicesCollection.in(stores.mongo.db).findOne({ userId }))?._id ?? "";
    const at = new Date();
    const content = { title: "Hi", body: "Hi", link: null, type: "follower", count: 1 };
    const usefulUntil = new Date(at.getTime() + 6 * 3_600_000);
    const docs = Array.from({ length: count }, newId).map((collapseId) => ({
      _id: collapseId,
      userId,
      device,
      message: { ...content, collapseId, usefulUntil },
      state: "waiting" as const,
      tries: 0,
      createdAt: at,
      dueAt: at,
    }));
    await rows().insertMany(docs);
    return { userId };
  }

  it("leaves others their places, and is tried again and again by a few", async () => {
    let isBack = false;
    let begun = 0;
    const taken: string[] = [];
    const hanging: PushSender = {
      async send() {
        begun++;
        if (!isBack) {
          await new Promise((resolve) => setTimeout(resolve, HANGS_MS));
          throw new Error("no answer in time");
        }
        return { outcome: "taken" };
      },
      close: () => undefined,
    };
    const answering: PushSender = {
      async send(token) {
        taken.push(token);
        return { outcome: "taken" };
      },
      close: () => undefined,
    };
    const { userId } = await givenPushes(200, `fcm:${newId()}`, "android");
    await givenPushes(10, "ab".repeat(32), "ios");
    const core = specCore(stores, { pushSenders: { fcm: hanging, apns: answering } });
    const working = await startPushes({ ...core, blockingRedis: stores.blockingRedis });
    try {
      await eventually(() => taken.length === 10, { withinMs: 30_000 });
      // Those that were begun before anybody could know, and two at a time since.
      expect(begun).below(50);

      isBack = true;
      await rows().updateMany({ userId, state: "waiting" }, { $set: { dueAt: new Date() } });
      await eventually(async () => (await rows().countDocuments({ userId, state: "sent" })) > 100, {
        withinMs: 30_000,
      });
    } finally {
      await working.stop();
    }
  });
});
