// @waits: for a browser, and for runs of the jobs.
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import type { CDPSession, Page } from "playwright-core";
import webPush from "web-push";
import { PUBLIC_HOSTS } from "../../actors/notifications/push/public-https.ts";
import { createWebPush } from "../../actors/notifications/push/web-push.ts";
import { newBrowser } from "../actors/notifications/push/browser.ts";
import { CERTIFICATE } from "../actors/notifications/push/certificate.ts";
import { startWebPushService } from "../actors/notifications/push/services.ts";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import {
  clearNotifications,
  countShown,
  lastOpened,
  openInWorker,
  shownCount,
  shownNotifications,
  standInForPush,
} from "./in-page.mjs";
import { signIn } from "./signed-in.ts";

const ENDPOINTS = "https://push.specs.example/p";
const { privateKey, publicKey } = webPush.generateVAPIDKeys();

describe("push notifications of the site", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const clock = movableClock();
  let service: Awaited<ReturnType<typeof startWebPushService>>;
  before(async () => {
    service = await startWebPushService();
  });
  after(() => service?.close());
  const { world, given } = setUpWorld(() => {
    const connection = { ca: CERTIFICATE.cert, host: "127.0.0.1", port: Number(new URL(service.url).port) };
    const subject = "mailto:operator@live.example";
    const sender = createWebPush({ privateKey, subject }, clock, { ...PUBLIC_HOSTS, connection });
    return { clock, pushSenders: { web_push: sender } };
  });
  let ada: Person;
  let page: Page;
  let session: CDPSession;
  let device: ReturnType<typeof newBrowser>;
  const registrations: string[] = [];
  const complaints: string[] = [];

  beforeEach(async () => {
    ada = await given.user();
    device = newBrowser(`${ENDPOINTS}/${randomBytes(8).toString("hex")}`);
    service.received.splice(0);
    await signIn(browser.context, world.baseUrl, ada);
    await browser.context.grantPermissions(["notifications"], { origin: world.baseUrl });
    page = await browser.context.newPage();
    // A browser without a window of its own has no push service.
    await page.addInitScript(standInForPush, device.token);
    keepComplaints(page, complaints);
    session = await browser.context.newCDPSession(page);
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: all }) => {
      registrations.splice(0);
      for (const { registrationId, isDeleted } of all) if (!isDeleted) registrations.push(registrationId);
    });
    await session.send("ServiceWorker.enable");
  });
  afterEach(async () => {
    await open("/");
    await page?.evaluate(clearNotifications);
    await page?.evaluate("localStorage.clear()");
    await page?.close();
    await browser.context.clearCookies();
    await browser.context.clearPermissions();
    expect(complaints.splice(0)).deep.equal([]);
  });

  async function open(path = "/settings/notifications"): Promise<void> {
    // A page whose session has changed loads itself again, which would interrupt this.
    await page.goto("about:blank");
    await page.goto(world.baseUrl + path);
  }
  const says = (text: string) => page.waitForSelector(`.toast:has-text("${text}")`);
  const tokensOf = async (person: Person) =>
    (await person.api.ok("listDevices")).items.map(({ device_token }) => device_token);
  async function turnOn(): Promise<void> {
    await open();
    await page.click("text=Turn on notifications on this device");
    await says("Notifications are on for this device.");
  }
  /** What the push service got for this browser, decrypted. */
  const pushed = async () =>
    JSON.stringify(
      device.open(await eventually(() => service.received.at(-1)?.body ?? Promise.reject(new Error("none")))),
    );
  async function deliver(data: string): Promise<void> {
    const registrationId = await eventually(() => registrations.at(-1) ?? false);
    if (registrationId === false) throw new Error("there is no service worker");
    await session.send("ServiceWorker.deliverPushMessage", { origin: world.baseUrl, registrationId, data });
  }

  /** Resolves once it is shown: who asks a browser earlier what it shows makes it forget what is about to be. */
  async function show(data: string): Promise<void> {
    const [worker] = browser.context.serviceWorkers();
    if (!worker) throw new Error("there is no service worker");
    await worker.evaluate(countShown);
    const before = await worker.evaluate(shownCount);
    await deliver(data);
    await eventually(async () => expect(await worker.evaluate(shownCount)).equal(before + 1));
  }

  it("asks for the permission at the press, and shows what is pushed from then on", async () => {
    const bob = await given.user();
    await open();
    await page.waitForSelector("text=Turn on notifications on this device");
    expect(await page.evaluate("globalThis.asked"), "before the press").equal(0);
    await turnOn();
    expect(await page.evaluate("globalThis.asked")).equal(1);
    expect(await page.evaluate("localStorage.getItem('spec-subscription')")).equal(publicKey);
    expect(await tokensOf(ada)).deep.equal([device.token]);
    await page.waitForSelector("li:has-text('on Linux') >> text=This device");

    await bob.api.ok("followUser", { params: { user_id: ada.id } });
    await show(await pushed());
    const [shown] = await eventually(async () => {
      const all = await page.evaluate(shownNotifications);
      expect(all).length(1);
      return all;
    });
    expect(shown).include({ title: "New follower", body: `${bob.username} follows you.` });
    expect(shown?.tag).match(/^push-/);
    expect(shown?.icon).equal(`${world.baseUrl}/favicon.ico`);
  });

  it("opens the page of a notification that is pressed, and of none but the site", async () => {
    await turnOn();
    const [worker] = browser.context.serviceWorkers();
    if (!worker) throw new Error("there is no service worker");
    const message = (tag: string, link: string) => JSON.stringify({ title: "Hi", body: "Hi", tag, link });
    for (const [tag, link, expected] of [
      ["push-1", "https://livecore.example/bob", `${world.baseUrl}/bob`],
      ["push-2", "javascript:alert(1)", `${world.baseUrl}/notifications`],
      ["push-3", "https://livecore.example//evil.example/", `${world.baseUrl}/notifications`],
    ] as const) {
      await show(message(tag, link));
      await eventually(async () => {
        await worker.evaluate(openInWorker, tag);
        expect(await worker.evaluate(lastOpened)).equal(expected);
      });
    }
    await deliver("not the service's");
    expect(await page.evaluate(shownNotifications)).deep.equal([]);
  });

  it("forgets the device at the sign-out, so that the next person in this browser gets nothing", async () => {
    await turnOn();
    await show(JSON.stringify({ title: "Hi", body: "of ada", tag: "push-3" }));
    await eventually(async () => expect(await page.evaluate(shownNotifications)).length(1));
    await page.click("[aria-label=Account]");
    await page.click("text=Log out");
    await eventually(async () => {
      expect(await page.evaluate("localStorage.getItem('spec-subscription')")).equal(null);
      expect(await page.evaluate(shownNotifications)).deep.equal([]);
    });
    expect(await tokensOf(ada)).deep.equal([]);
    const eve = await given.user();
    await signIn(browser.context, world.baseUrl, eve);
    await open();
    await page.waitForSelector("text=Turn on notifications on this device");
    expect(await tokensOf(eve)).deep.equal([]);
  });

  it("registers the device for the same user's next session, and forgets it when another user signs in", async () => {
    await turnOn();
    await ada.api.ok("endSessions");
    expect(await tokensOf(ada)).deep.equal([]);
    await signIn(browser.context, world.baseUrl, ada);
    await open("/");
    await eventually(async () => expect(await tokensOf(ada)).deep.equal([device.token]));
    await signIn(browser.context, world.baseUrl, await given.user());
    await open("/");
    await eventually(async () =>
      expect(await page.evaluate("localStorage.getItem('spec-subscription')")).equal(null),
    );
  });

  it("registers the device once, however often the user's account changes", async () => {
    await turnOn();
    const registered: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/devices")) registered.push(request.url());
    });
    await open("/settings/profile");
    await eventually(() => expect(registered).length(1));
    for (const bio of ["one", "two"]) {
      await page.fill("[name=bio]", bio);
      const key = page.waitForResponse((response) => response.url().endsWith("/v1/users/me"));
      await page.click("main form:has([name=bio]) [type=submit]");
      await key;
    }
    await says("Saved");
    expect(registered).length(1);
  });

  it("subscribes again when the service has another key", async () => {
    await turnOn();
    await page.evaluate("localStorage.setItem('spec-subscription', 'AAAA')");
    await page.reload();
    await eventually(async () =>
      expect(await page.evaluate("localStorage.getItem('spec-subscription')")).equal(publicKey),
    );
  });

  it("turns push off for this device, and removes another one", async () => {
    const phone = "fcm:dW9yQk3sT2mVx8nLh5jRz0cEa7pGf4iK";
    await ada.api.ok("registerDevice", { body: { device_token: phone, device_type: "android" } });
    await turnOn();
    await page.click("text=Turn off on this device");
    await says("Notifications are off for this device.");
    expect(await tokensOf(ada)).deep.equal([phone]);
    await page.click("button:text('Remove')");
    await says("The device was removed.");
    expect(await tokensOf(ada)).deep.equal([]);
    await page.waitForSelector("text=No device gets push notifications yet.");
  });

  it("says how to allow notifications where the browser blocks them", async () => {
    await session.send("Browser.setPermission", {
      permission: { name: "notifications" },
      setting: "denied",
      origin: world.baseUrl,
    });
    await open();
    await page.waitForSelector("[role=alert]:has-text('This browser blocks notifications from this site.')");
    expect(await page.locator("text=Turn on notifications").count()).equal(0);
  });

  it("serves its worker uncached, with a policy that lets it load nothing", async () => {
    const { headers } = await fetch(`${world.baseUrl}/push-worker.js`);
    expect(headers.get("content-type")).equal("text/javascript; charset=utf-8");
    expect(headers.get("cache-control")).equal("no-cache");
    expect(headers.get("content-security-policy")).include("default-src 'none'");
  });
});
