import { inspect } from "node:util";
import { expect } from "chai";
import { createFcm } from "../../../../actors/notifications/push/fcm.ts";
import { MAX_TRIES } from "../../../../actors/notifications/push/pushes.ts";
import { HOUR_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { notificationPreferencesIn } from "../../../../store/mongo/notifications/notification-preferences.ts";
import { pushDevicesCollection } from "../../../../store/mongo/notifications/push-devices.ts";
import { pushesCollection } from "../../../../store/mongo/notifications/pushes.ts";
import { movableClock } from "../../../support/clock.ts";
import { specCore } from "../../../support/core.ts";
import { givenChannels } from "../../../support/given-channels.ts";
import { type LogLine, recordingLog } from "../../../support/recording-log.ts";
import { openStores, type Stores } from "../../../support/stores.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { startFcm, unregistered } from "./services.ts";

describe("A push", () => {
  const clock = movableClock();
  let world: World;
  let stores: Stores;
  let fcm: Awaited<ReturnType<typeof startFcm>>;
  let lines: LogLine[];
  let send: (id: string) => Promise<void>;
  before(async () => {
    world = await openWorld({ clock });
    stores = await openStores(world.core.mongo.db.databaseName);
  });
  after(async () => {
    await stores.close();
    await world.close();
  });
  beforeEach(async () => {
    fcm = await startFcm();
    lines = [];
    const senders = { fcm: createFcm(fcm.settings, clock, { url: fcm.url }) };
    ({ send } = specCore(stores, { clock, log: recordingLog(lines), pushSenders: senders }).pushes);
  });
  afterEach(() => fcm.close());

  const rows = () => pushesCollection.in(stores.mongo.db);
  const devices = () => pushDevicesCollection.in(stores.mongo.db);

  async function givenPush(usefulMs = 6 * HOUR_MS) {
    const { id: userId, api } = await givenChannels(world).user();
    const device_token = `fcm:${newId()}`;
    await api.ok("registerDevice", { body: { device_token, device_type: "android" } });
    const device = (await devices().findOne({ userId }))?._id ?? "";
    const [_id, at] = [newId(), new Date(clock.now())];
    const usefulUntil = new Date(clock.now() + usefulMs);
    const content = { title: "Hi", body: "Hi of ana", link: null, type: "follower", count: 1 };
    await rows().insertOne({
      _id,
      userId,
      device,
      message: { ...content, collapseId: "push-1", usefulUntil },
      state: "waiting",
      tries: 0,
      createdAt: at,
      dueAt: at,
    });
    return { _id, userId, device, device_token };
  }
  const ended = async (_id: string) => {
    const { state, message } = (await rows().findOne({ _id })) ?? {};
    return { state, message };
  };

  it("is tried again later and later while its service is down, then given up, with no token in a log", async () => {
    const { _id, device_token } = await givenPush(1_000 * HOUR_MS);
    fcm.answering.with = () => ({ status: 500, body: { error: { message: device_token } } });
    const pauses: number[] = [];
    for (let n = 0; n < MAX_TRIES; n++) {
      await send(_id);
      await send(_id);
      expect(fcm.received.length).equal(n + 1);
      pauses.push(((await rows().findOne({ _id }))?.dueAt.getTime() ?? 0) - clock.now());
      clock.move(Math.max(0, pauses.at(-1) ?? 0) + 1);
    }
    for (const [n, least] of [5_000, 10_000, 20_000, 40_000].entries())
      expect(pauses[n]).within(least - 1_000, least);
    expect(await ended(_id)).deep.equal({ state: "given_up", message: null });
    expect(inspect(lines, { depth: 9 }))
      .contain("given up")
      .and.not.contain(device_token);
  });

  it("makes one outage in the log with others while its service doesn't answer", async () => {
    let isAway = true;
    const send = async () => {
      if (isAway) throw new Error("no answer in time");
      return { outcome: "taken" as const };
    };
    const log = recordingLog(lines);
    const fcm = { send, close: () => undefined };
    const { pushes } = specCore(stores, { clock, log, pushSenders: { fcm } });
    for (let n = 0; n < 4; n++) await pushes.send((await givenPush())._id);
    isAway = false;
    for (let n = 0; n < 2; n++) await pushes.send((await givenPush())._id);

    const logged = lines.filter(({ level }) => level !== "debug");
    expect(logged.map(({ message }) => message)).deep.equal(["FCM failed", "FCM recovered"]);
  });

  it("isn't sent when it is of no use any more", async () => {
    const { _id } = await givenPush(HOUR_MS);
    clock.move(HOUR_MS);
    await send(_id);
    expect(await ended(_id)).deep.equal({ state: "late", message: null });
    expect(fcm.received).deep.equal([]);
  });

  it("is given up, with an error for the operator, when its service refuses it, and costs no device", async () => {
    const { _id, device } = await givenPush();
    fcm.answering.with = () => ({ status: 403, body: { error: { status: "PERMISSION_DENIED" } } });
    await send(_id);
    expect(await ended(_id)).deep.equal({ state: "given_up", message: null });
    expect(lines.filter(({ level }) => level === "error")).length(1);
    expect(await devices().countDocuments({ _id: device })).equal(1);
  });

  it("is put off while too many like it are under way, which counts for no try", async () => {
    const { _id } = await givenPush();
    const crowded = { send: async () => ({ outcome: "crowded" as const }), close: () => undefined };
    const busy = specCore(stores, { clock, pushSenders: { fcm: crowded } }).pushes;
    await busy.send(_id);
    expect(await rows().findOne({ _id })).include({ state: "waiting", tries: 0 });
    await send(_id);
    expect(fcm.received).deep.equal([]);
    clock.move(10_000);
    await send(_id);
    expect(await ended(_id)).deep.equal({ state: "sent", message: null });
  });

  it("ends a device that its service knows no more, unless it was registered again meanwhile", async () => {
    const [dead, again] = [await givenPush(), await givenPush()];
    fcm.answering.with = () => unregistered;
    await devices().updateOne(
      { _id: again.device },
      { $set: { lastActive: new Date(clock.now() + 60_000) } },
    );
    for (const { _id } of [dead, again]) {
      await send(_id);
      expect(await ended(_id)).deep.equal({ state: "no_device", message: null });
    }
    expect(await devices().countDocuments({ _id: dead.device })).equal(0);
    expect(await devices().countDocuments({ _id: again.device })).equal(1);
  });

  it("waits for the end of quiet hours also when it is tried again, which counts for no try", async () => {
    const { _id, userId } = await givenPush();
    fcm.answering.with = () => ({ status: 503, body: {} });
    await send(_id);
    const end = new Date(clock.now() + HOUR_MS);
    await notificationPreferencesIn(stores.mongo.db).set({
      _id: userId,
      off: [],
      timeZone: "UTC",
      emailEnabled: false,
      pushEnabled: true,
      quietHoursStart: new Date(clock.now() - HOUR_MS),
      quietHoursEnd: end,
      changedAt: end,
    });
    clock.move(10_000);
    await send(_id);
    const row = await rows().findOne({ _id });
    expect(row).include({ state: "waiting", tries: 1 });
    expect(Math.abs(+end - +(row?.dueAt ?? 0))).below(1_000);
    expect(fcm.received).length(1);

    fcm.answering.with = () => ({ status: 200, body: {} });
    clock.move(HOUR_MS);
    await send(_id);
    expect(await ended(_id)).deep.equal({ state: "sent", message: null });
  });
});
