// @waits: for a browser.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { RAID_ARRIVAL_MS, RAID_COUNTDOWN_MS } from "../../../store/mongo/raids/raids.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { servePublicFiles } from "../public-files.ts";
import { faultsOf, openConsole } from "./open-console.ts";

const HOLD_MS = 10_000;

describe("poll and raid panels of the console", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  let channel: Channel;
  let page: Page;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    channel = await given.liveChannel();
    page = await browser.context.newPage();
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
  });

  const open = () => openConsole(page, { context: browser.context, baseUrl: world.baseUrl }, channel);
  const confirm = (text: string) => page.click(`dialog [type=submit]:has-text("${text}")`);

  describe("poll panel", () => {
    const panel = (selector: string) => page.waitForSelector(`.of-poll ${selector}`);
    const current = () => world.api.call("getCurrentPoll", { params: channel.at });

    it("opens a poll, counts votes as they come, ends it, and starts it again with one press", async () => {
      await open();
      await page.click("text=New poll");
      await page.fill("dialog [name=question]", "Which boss?");
      await page.fill("dialog [aria-label='Option 1']", "Old");
      await page.fill("dialog [aria-label='Option 2']", "New");
      expect(await faultsOf(page)).deep.equal([]);
      await confirm("Start poll");
      await panel("h3:text-is('Which boss?')");
      const poll = world.api.bodyOf("getCurrentPoll", await current());
      const ada = await given.user();
      const body = { option_id: poll.options[0]?.id ?? "" };
      await ada.api.ok("voteInPoll", { params: { poll_id: poll.id }, body });
      await panel("li:has-text('Old') >> text=100% (1)");
      await page.click("text=End poll");
      await panel(":text('Poll ended')");
      expect((await current()).status).equal(404);
      await page.click("text=Start again: Which boss?");
      await panel(":text('Ends in')");
      expect(world.api.bodyOf("getCurrentPoll", await current())).include({ duration_sec: 60 });
    });

    it("shows a poll that a moderator has opened, with the votes from before the page", async () => {
      const moderator = await given.moderatorOf(channel);
      const body = { question: "Which?", options: ["This", "That"], duration_sec: 600 };
      const poll = await moderator.api.ok("createPoll", { params: channel.at, body });
      const vote = { option_id: poll.options[1]?.id ?? "" };
      await moderator.api.ok("voteInPoll", { params: { poll_id: poll.id }, body: vote });
      await open();
      await panel("li:has-text('That') >> text=100% (1)");
      await moderator.api.ok("endPoll", { params: { poll_id: poll.id } });
      await panel(":text('Poll ended')");
      await page.waitForSelector(".of-poll >> text=New poll");
    });
  });

  describe("raid panel", () => {
    const panel = (selector: string) => page.waitForSelector(`.of-raid ${selector}`);
    const suggested = async () => {
      await page.waitForSelector("dialog .suggested");
      return page.locator("dialog .suggested li").allTextContents();
    };
    const last = async () => (await channel.owner.api.ok("listMyRaids")).items[0];

    it("suggests live channels that raided this one, are followed or in the same category", async () => {
      const { items } = await world.api.ok("listCategories");
      const category_id = items[0]?.id ?? "";
      const raider = await given.liveChannel();
      const followed = await given.liveChannel();
      const alike = await given.liveChannel();
      for (const { owner } of [channel, alike])
        await owner.api.ok("updateMyStream", { body: { category_id } });
      await raider.owner.api.ok("createRaid", { body: { target_user_id: channel.owner.id } });
      await channel.owner.api.ok("followUser", { params: { user_id: followed.owner.id } });
      await open();
      await page.click("text=Raid a channel");
      await eventually(async () => {
        const found = (await suggested()).join();
        expect(found).include(`${raider.owner.username}Raided you`);
        expect(found).include(`${followed.owner.username}You follow`);
        expect(found).include(`${alike.owner.username}Same category`);
        expect(found).not.include(channel.owner.username);
      });
      expect(await faultsOf(page)).deep.equal([]);
    });

    it("raids a channel that was searched for, leaves early, and says where the viewers went", async () => {
      const target = await given.liveChannel();
      await open();
      await page.click("text=Raid a channel");
      await page.focus("dialog [role=combobox]");
      await page.keyboard.type(target.owner.username);
      await page.waitForSelector("dialog [role=option]");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.fill("dialog [name=message]", "Be kind!");
      await confirm("Start raid");
      await panel(`.target:has-text("${target.owner.username}")`);
      await panel(":text('Leaving in') >> text=/^1:[23]\\d$/");
      expect(await page.getAttribute(".of-raid button:text('Raid now')", "aria-disabled")).equal("true");
      // The page goes by the service's clock as it was when it connected.
      await page.reload();
      world.clock.move(HOLD_MS);
      await page.reload();
      await page.click(".of-raid button:text('Raid now')[aria-disabled=false]");
      await panel(`:text("The raid went to ${target.owner.username}")`);
      expect(await last()).include({ status: "active", message: "Be kind!" });
      world.clock.move(RAID_ARRIVAL_MS + RAID_COUNTDOWN_MS);
    });

    it("cancels a raid, also one that a moderator has started", async () => {
      const target = await given.liveChannel();
      const moderator = await given.moderatorOf(channel);
      await open();
      await moderator.api.ok("createRaid", {
        body: { source_user_id: channel.owner.id, target_user_id: target.owner.id },
      });
      await page.click("text=Cancel raid");
      await panel(`:text("The raid to ${target.owner.username} was cancelled.")`);
      expect((await last())?.status).equal("cancelled");
    });

    it("says why a channel doesn't take the raid, and lets the creator choose another", async () => {
      const target = await given.liveChannel();
      await target.owner.api.ok("setRaidSettings", { body: { accept_from: "nobody" } });
      await channel.owner.api.ok("followUser", { params: { user_id: target.owner.id } });
      await open();
      await page.click("text=Raid a channel");
      await page.click(`dialog .suggested button:has-text("${target.owner.username}")`);
      await confirm("Start raid");
      await page.waitForSelector("dialog [role=alert]");
      await page.fill("dialog [role=combobox]", "");
      await page.waitForSelector("dialog .suggested");
    });
  });
});
