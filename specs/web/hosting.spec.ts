// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang } from "./in-page.mjs";
import { servePublicFiles } from "./public-files.ts";

const SOON = { withinMs: 5_000, everyMs: 20 };

describe("hosting on the watch page", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  let host: Channel;
  let target: Channel;
  let page: Page;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    [host, target] = await Promise.all([given.channel(), given.liveChannel()]);
    page = await browser.context.newPage();
  });
  afterEach(async () => {
    await browser.context.setOffline(false);
    await page.close();
  });

  async function open(): Promise<void> {
    await page.goto(`${world.baseUrl}/${host.owner.username}`);
    await page.waitForSelector("text=No messages yet.");
  }
  const start = () => host.owner.api.ok("hostChannel", { body: { target_user_id: target.owner.id } });
  const end = () => host.owner.api.ok("unhostChannel");
  const shows = ({ owner }: Channel) =>
    page.waitForSelector(`.player[aria-label="${owner.username}'s live stream"]`);
  const banner = () => `${host.owner.username} is hosting ${target.owner.username}`;

  it("shows the hosted channel's player in place while it is hosted, live", async () => {
    await open();
    await shows(host);
    await start();
    await shows(target);
    await page.waitForSelector(`.notice-bar:has-text("${banner()}")`);
    expect(await page.getAttribute(".notice-bar a", "href")).equal(`/${target.owner.username}`);
    expect(await page.textContent(".channel-header h1"), "it is the host's page").equal(host.owner.username);
    await end();
    await shows(host);
    expect(await page.locator(".notice-bar").count()).equal(0);
  });

  it("shows a page that is opened later whom the channel hosts", async () => {
    await start();
    await open();
    await shows(target);
    await page.waitForSelector(`.notice-bar:has-text("${banner()}")`);
  });

  it("goes back to the channel's own broadcast as soon as that begins", async () => {
    await start();
    await open();
    await shows(target);
    await given.goLive(host);
    await shows(host);
    await page.waitForSelector(".notice-bar", { state: "detached" });
  });

  it("knows after a reconnect that hosting has ended meanwhile", async () => {
    await start();
    await open();
    await shows(target);
    await browser.context.setOffline(true);
    await page.waitForSelector("text=You are offline.");
    await end();
    await browser.context.setOffline(false);
    await shows(host);
  });

  it("keeps the room while the chat is hidden, and shows it again where it was", async () => {
    await open();
    await page.click("text=Hide chat");
    await start();
    await shows(target);
    await host.owner.api.ok("sendChatMessage", { params: host.at, body: { content: "meanwhile" } });
    await page.click("text=Show chat");
    await eventually(() => page.isVisible(".line:has-text('meanwhile')"), SOON);
  });

  it("passes axe and fits a phone, in light and dark", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await start();
    await open();
    await shows(target);
    await page.evaluate(axe.source);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
    }
  });
});
