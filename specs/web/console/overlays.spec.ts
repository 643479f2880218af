import { expect } from "chai";
import type { Page } from "playwright-core";
import { framed, setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { openOverlay } from "../overlays/open-overlay.ts";
import { signIn } from "../signed-in.ts";
import { faultsOf } from "./open-console.ts";
import { setUpPage } from "./set-up-page.ts";

const SOON = { withinMs: 10_000, everyMs: 20 };

describe("overlays in the console", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpPage(browser);
  let channel: Channel;
  let page: Page;

  beforeEach(async () => {
    channel = await given.channel();
    await signIn(browser.context, world.baseUrl, channel.owner);
    page = opened.page();
    await page.setViewportSize({ width: 1_280, height: 900 });
    await page.goto(`${world.baseUrl}/console/overlays`);
    await page.waitForSelector("text=No overlays yet.");
  });

  const list = async () => (await channel.owner.api.ok("listOverlays", { params: channel.at })).items;
  /** The address that the dialog shows, at the world's own. */
  async function linkShown(): Promise<string> {
    await page.waitForSelector("dialog code >> text=/#•+$/");
    await page.click("[aria-label='Show link']");
    const address = (await page.textContent("dialog code")) ?? "";
    return address.replace("https://livecore.example", world.baseUrl);
  }
  async function add(name: string, kind = "alerts"): Promise<string> {
    await page.click("text=Add overlay");
    await page.fill("[name=name]", name);
    await page.selectOption(".overlay-form select >> nth=0", kind);
    await page.click(".overlay-form [type=submit]");
    const link = await linkShown();
    await page.click("dialog >> text=Done");
    await page.waitForSelector(`.overlays li:has-text("${name}")`);
    return link;
  }

  it("are added with their settings, show their link once, and are tested from their list", async () => {
    await page.click("text=Add overlay");
    await page.fill("[name=name]", "Mine");
    await page.uncheck("label:has-text('Raids') input");
    await page.fill("[name=smallest_tip]", "a lot");
    await page.click(".overlay-form [type=submit]");
    await page.waitForSelector("text=Type an amount up to 1000, such as 2.50.");
    await page.fill("[name=smallest_tip]", "2.50");
    await page.fill("input[type=range] >> nth=0", "2");
    await page.click(".overlay-form [type=submit]");
    const link = await linkShown();
    await page.click("dialog >> text=Done");
    await page.waitForSelector(".overlays li:has-text('Mine') >> text=Alerts · Never used");
    expect(await page.content()).not.contain(link.split("#")[1]);
    const [{ settings } = { settings: {} }] = await list();
    expect(settings).include({ alert_seconds: 2, smallest_tip_cents: 250 });
    expect(settings).deep.include({ alert_kinds: ["follow", "subscription", "gift", "tip"] });

    const overlay = await openOverlay(browser.context, link);
    await overlay.page.waitForSelector(".overlay");
    await page.click("[aria-label='Show a test alert on Mine']");
    await eventually(
      async () => {
        await page.click(".overlays .menu .panel >> text=Follow");
        expect(overlay.shown).contain("Ada followed");
      },
      { ...SOON, what: "a test alert" },
    );
    await overlay.page.close();
  });

  it("are added whatever stands in fields of another kind, and listed also if the answer was lost", async () => {
    await page.click("text=Add overlay");
    await page.fill("[name=smallest_tip]", "a lot");
    await page.selectOption(".overlay-form select >> nth=0", "chat");
    const made = "**/v1/streams/*/overlays";
    await page.route(made, async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.click(".overlay-form [type=submit]");
    await page.waitForSelector(".overlays li:has-text('Chat')");
    await page.unroute(made);
    expect(await list()).length(1);
  });

  it("show a preview by what is typed, before it is saved", async () => {
    await page.click("text=Add overlay");
    const frame = await framed(page);
    await frame.waitForSelector(".overlay[data-theme=dark] .alert");
    await page.selectOption(".overlay-form select >> nth=1", "clear");
    await frame.waitForSelector(".overlay[data-theme=clear]");
    await page.selectOption(".overlay-form select >> nth=0", "prediction");
    await (await framed(page)).waitForSelector(".question >> text=Will they beat the boss?");
  });

  it("get another link once that was asked, and are deleted, which open ones follow", async () => {
    const link = await add("Poll of mine", "poll");
    const overlay = await openOverlay(browser.context, link);
    await overlay.page.waitForSelector(".overlay");
    await page.click("[aria-label='Make a new link for Poll of mine']");
    await page.click("dialog >> text=Make new link");
    const renewed = await linkShown();
    expect(renewed).not.equal(link);
    await overlay.page.waitForSelector(".overlay", { state: "detached" });
    await page.click("dialog >> text=Done");

    await overlay.page.goto("about:blank");
    await overlay.page.goto(renewed);
    await overlay.page.waitForSelector(".overlay");
    await page.click("[aria-label='Delete Poll of mine']");
    await page.click("dialog >> button:text('Delete')");
    await page.waitForSelector("text=No overlays yet.");
    await overlay.page.waitForSelector(".overlay", { state: "detached" });
    await overlay.page.close();
  });

  it("pass axe with the form open, light and dark, and are no wider than a phone", async () => {
    await add("Alerts");
    await page.click("[aria-label='Edit Alerts']");
    await (await framed(page)).waitForSelector(".alert");
    expect(await faultsOf(page)).deep.equal([]);
  });
});
