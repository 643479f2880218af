// @waits: for a browser to load pages.
import { expect } from "chai";
import type { Page, Route } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

const SOON = { withinMs: 10_000, everyMs: 20 };

describe("a channel's page while the service is busy", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let page: Page;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.followerOf(channel);
    await signIn(browser.context, world.baseUrl, ada);
    page = await browser.context.newPage();
  });
  afterEach(() => page.close());

  const open = () => page.goto(`${world.baseUrl}/${channel.owner.username}`);
  /** The header is longer than the client itself waits, so that it hands the refusal on. */
  const refuse = (status: 429 | 503, code: string, waitMs: number) => (route: Route) =>
    route.fulfill({
      status,
      headers: { "Retry-After": "60" },
      json: { code, message: "Not now.", details: { retry_after_ms: waitMs }, request_id: "spec" },
    });

  it("A reader whom the service didn't name is shown and can write once it does", async () => {
    await page.route("**/v1/users/me", refuse(503, "unavailable", 60_000));
    await open();
    await page.waitForSelector(".top-bar a:text-is('Log in')");
    await page.waitForSelector("text=No messages yet.");
    await page.unroute("**/v1/users/me");
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.waitForSelector(".top-bar [aria-label=Account]");
    await page.fill(".composer textarea", "hello");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".chat [role=log] >> text=hello");
  });

  it("A connection that doesn't come back with the network stays said until it does", async () => {
    await open();
    await page.waitForSelector("text=No messages yet.");
    await page.route("**/v1/auth/ws-ticket", (route) => route.abort());
    await browser.context.setOffline(true);
    await page.waitForSelector(".connection:has-text('You are offline.')");
    await browser.context.setOffline(false);
    await page.waitForSelector(".connection:has-text('Connection lost.')");
    await page.unroute("**/v1/auth/ws-ticket");
    await page.waitForSelector(".connection[data-shown=false]", { state: "attached" });
  });

  it("A refused standing is read again when the service says; until then Follow says why it waits", async () => {
    await page.route("**/standing", refuse(429, "rate_limited", 3_000));
    await open();
    await page.click(`button[aria-label='Follow ${channel.owner.username}']`, { timeout: SOON.withinMs });
    await page.waitForSelector(".toast.problem >> text=Not now.");
    await page.unroute("**/standing");
    await page.waitForSelector("button:text-is('Following')");
    await eventually(async () => expect(await page.textContent(".points-bar .balance")).equal("300"), SOON);
  });
});
