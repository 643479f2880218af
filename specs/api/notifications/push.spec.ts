// @waits: for runs of the sweeps.
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import webPush from "web-push";
import { createApns } from "../../../actors/notifications/push/apns.ts";
import { createFcm } from "../../../actors/notifications/push/fcm.ts";
import { PUBLIC_HOSTS } from "../../../actors/notifications/push/public-https.ts";
import { createWebPush } from "../../../actors/notifications/push/web-push.ts";
import { HOUR_MS } from "../../../base/durations.ts";
import { notificationDeliveriesCollection } from "../../../store/mongo/notifications/notification-deliveries.ts";
import { pushesCollection } from "../../../store/mongo/notifications/pushes.ts";
import { newBrowser } from "../../actors/notifications/push/browser.ts";
import { CERTIFICATE } from "../../actors/notifications/push/certificate.ts";
import {
  startApns,
  startFcm,
  startWebPushService,
  unregistered,
} from "../../actors/notifications/push/services.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { openWorld, type World } from "../../support/world.ts";

const { privateKey, publicKey } = webPush.generateVAPIDKeys();
const ENDPOINTS = "https://push.specs.example/p";

describe("push notifications", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let world: World;
  let given: Given;
  let fcm: Awaited<ReturnType<typeof startFcm>>;
  let apns: Awaited<ReturnType<typeof startApns>>;
  let browsers: Awaited<ReturnType<typeof startWebPushService>>;
  before(async () => {
    [fcm, apns, browsers] = await Promise.all([startFcm(), startApns(), startWebPushService()]);
    const subject = "mailto:operator@live.example";
    // Each connection leads to the service of this spec.
    const connection = { ca: CERTIFICATE.cert, host: "127.0.0.1", port: Number(new URL(browsers.url).port) };
    const reach = { ...PUBLIC_HOSTS, connection };
    world = await openWorld({
      clock,
      pushSenders: {
        fcm: createFcm(fcm.settings, clock, { url: fcm.url }),
        apns: createApns(apns.settings, clock, { url: apns.url, ca: CERTIFICATE.cert }),
        web_push: createWebPush({ privateKey, subject }, clock, reach),
      },
    });
    given = givenChannels(world);
  });
  after(async () => {
    await world.close();
    await Promise.all([fcm.close(), apns.close(), browsers.close()]);
  });

  const follow = (whom: Person, who: Person) => who.api.ok("followUser", { params: { user_id: whom.id } });
  async function followed(whom: Person, times = 1): Promise<Person[]> {
    const fans: Person[] = [];
    for (let n = 0; n < times; n++) fans.push(await given.user());
    for (const fan of fans) await follow(whom, fan);
    return fans;
  }
  const android = async ({ api }: Person, more: object = {}) => {
    const device_token = `fcm:${randomBytes(16).toString("hex")}`;
    await api.ok("registerDevice", { body: { device_token, device_type: "android", ...more } });
    return device_token;
  };
  const toAndroid = (token: string) =>
    fcm.received.flatMap(({ body }) => {
      const { message } = JSON.parse(String(body));
      return message.token === token ? [message] : [];
    });
  const texts = (token: string) => toAndroid(token).map(({ notification }) => notification.body);
  const listed = ({ api }: Person, count: number) =>
    eventually(async () => expect((await api.ok("listNotifications")).total).equal(count));

  it("reach each of a user's devices, by the service that its token is of", async () => {
    const owner = await given.user();
    const phone = await android(owner);
    const iphone = randomBytes(32).toString("hex");
    await owner.api.ok("registerDevice", { body: { device_token: iphone, device_type: "ios" } });
    const off = await android(owner, { notifications_enabled: false });
    const [fan] = await followed(owner);

    const body = `${fan?.username} follows you.`;
    const link = `https://livecore.example/${fan?.username}`;
    await eventually(() => texts(phone).length === 1);
    expect(toAndroid(phone)[0]).deep.include({ notification: { title: "New follower", body } });
    expect(toAndroid(phone)[0].data).deep.equal({ type: "follower", count: "1", link });
    const toPhone = () => apns.received.filter(({ path }) => path === `/3/device/${iphone}`);
    await eventually(() => toPhone().length === 1);
    expect(JSON.parse(String(toPhone()[0]?.body)).aps.alert).deep.equal({ title: "New follower", body });
    expect(texts(off)).deep.equal([]);
  });

  it("reach a browser, which subscribes with the service's key and alone can read them", async () => {
    expect(await world.api.ok("getWebPushKey")).deep.equal({ public_key: publicKey });
    const owner = await given.user();
    const browser = newBrowser(`${ENDPOINTS}/${owner.id}`);
    await owner.api.ok("registerDevice", { body: { device_token: browser.token, device_type: "android" } });
    const [fan] = await followed(owner);

    const toBrowser = () => browsers.received.filter(({ path }) => path === `/p/${owner.id}`);
    await eventually(() => toBrowser().length === 1);
    const [one] = toBrowser();
    expect(one?.headers.host).equal(new URL(ENDPOINTS).host);
    expect(browser.open(one?.body ?? Buffer.alloc(0))).include({ body: `${fan?.username} follows you.` });
  });

  it("aren't registered for a browser whose push service isn't a public one", async () => {
    const { api } = await given.user();
    for (const endpoint of [browsers.url, "https://127.0.0.1/p", "http://push.specs.example/p"]) {
      const body = { device_token: newBrowser(endpoint).token, device_type: "android" as const };
      const refused = await api.call("registerDevice", { body });
      expect(refused).include({ status: 400, code: "validation_failed" });
      expect(Object(refused.body).details.errors[0].path).equal("/body/device_token");
    }
    const { id } = await api.ok("registerDevice", {
      body: { device_token: "fcm:one", device_type: "android" },
    });
    const change = { params: { device_id: id }, body: { device_token: "{}" } };
    expect(await api.call("updateDevice", change)).include({ code: "validation_failed" });
  });

  it("end for a device that its service knows no more", async () => {
    const owner = await given.user();
    const [dead, alive] = [await android(owner), await android(owner)];
    fcm.answering.with = ({ body }) =>
      String(body).includes(dead) ? unregistered : { status: 200, body: { name: "m" } };
    await followed(owner);

    await eventually(async () => {
      const { items } = await owner.api.ok("listDevices");
      expect(items.map(({ device_token }) => device_token)).deep.equal([alive]);
    });
    await eventually(() => expect(texts(alive)).length(1));
    fcm.answering.with = () => ({ status: 200, body: { name: "m" } });
  });

  it("are tried again when the service says, and shown once", async () => {
    const owner = await given.user();
    const phone = await android(owner);
    fcm.answering.with = () => ({ status: 503, headers: { "retry-after": "600" }, body: {} });
    await followed(owner);
    await eventually(() => expect(toAndroid(phone)).length(1));
    // It is known by then when the next try is due.
    const pushes = pushesCollection.in(world.core.mongo.db);
    await eventually(async () => {
      const { dueAt = 0 } = (await pushes.findOne({ userId: owner.id })) ?? {};
      return +dueAt - clock.now() > 500_000;
    });
    fcm.answering.with = () => ({ status: 200, body: { name: "m" } });
    clock.move(590_000);
    const [other] = [await given.user()];
    const otherPhone = await android(other);
    await followed(other);
    await eventually(() => expect(toAndroid(otherPhone)).length(1));
    expect(toAndroid(phone)).length(1);

    clock.move(20_000);
    await eventually(() => expect(toAndroid(phone)).length(2));
    const tags = toAndroid(phone).map(({ android: { notification } }) => notification.tag);
    expect(new Set(tags).size).equal(1);
    await eventually(async () => (await waiting(owner)) === 0);
  });

  it("aren't sent to who switched them off, or has signed out", async () => {
    const [off, out, on] = [await given.user(), await given.user(), await given.user()];
    const phones = [await android(off), await android(out)];
    await off.api.ok("setNotificationPreferences", { body: { push_enabled: false } });
    await out.api.ok("logout");
    const phone = await android(on);
    await followed(off);
    await followed(out);
    await followed(on);

    await eventually(() => expect(texts(phone)).length(1));
    await eventually(async () => (await waiting(out)) === 0);
    expect(phones.flatMap(texts)).deep.equal([]);
  });

  it("come after quiet hours as one, in lists at once", async () => {
    const owner = await given.user();
    const phone = await android(owner);
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const body = { quiet_hours_start: at(-HOUR_MS), quiet_hours_end: at(HOUR_MS) };
    await owner.api.ok("setNotificationPreferences", { body });
    await followed(owner, 3);
    await listed(owner, 3);
    await eventually(async () => (await held(owner)) === 3);
    expect(texts(phone)).deep.equal([]);

    clock.move(HOUR_MS);
    await eventually(() => expect(texts(phone)).deep.equal(["3 new followers"]));
  });

  it("aren't put off for ever by what was read meanwhile", async () => {
    const owner = await given.user();
    const phone = await android(owner);
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const body = { quiet_hours_start: at(-HOUR_MS), quiet_hours_end: at(HOUR_MS) };
    await owner.api.ok("setNotificationPreferences", { body });
    await followed(owner, 2);
    await listed(owner, 2);
    await owner.api.ok("readAllNotifications");
    const [fan] = await followed(owner);
    await listed(owner, 3);
    clock.move(HOUR_MS);
    await eventually(() => expect(texts(phone)).deep.equal([`${fan?.username} follows you.`]));
  });

  const waiting = ({ id: userId }: Person) =>
    pushesCollection.in(world.core.mongo.db).countDocuments({ userId, state: "waiting" });
  const held = ({ id: userId }: Person) =>
    notificationDeliveriesCollection.in(world.core.mongo.db).countDocuments({ userId, doneAt: null });
});
