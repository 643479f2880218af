// @waits: for a browser to lay pages out.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { image } from "../support/images.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { nameOfFocused } from "./in-page.mjs";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

const SOON = { withinMs: 5_000, everyMs: 20 };

describe("chat on a channel's own page", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let page: Page;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.vipOf(channel);
    page = await browser.context.newPage();
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
  });

  async function open(reader: Person | null): Promise<void> {
    if (reader) await signIn(browser.context, world.baseUrl, reader);
    await page.goto(`${world.baseUrl}/${channel.owner.username}`);
    await page.waitForSelector("text=No messages yet.");
  }
  const sayAs = (who: Person, content: string, reply_to_id?: string) =>
    who.api.ok("sendChatMessage", {
      params: channel.at,
      body: { content, ...(reply_to_id && { reply_to_id }) },
    });
  const say = (content: string, reply_to_id?: string) => sayAs(channel.owner, content, reply_to_id);
  const lineOf = (text: string) => page.locator(".line", { hasText: text });

  describe("lines", () => {
    it("says that there are no messages only once the history was read", async () => {
      let release: (() => void) | undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route("**/v1/chat/*/messages?*", async (route) => {
        await released;
        await route.continue();
      });
      const asked = page.waitForRequest("**/v1/chat/*/messages?*");
      await page.goto(`${world.baseUrl}/${channel.owner.username}`);
      await asked;
      await page.waitForSelector(".composer button");
      expect(await page.locator("text=No messages yet.").count()).equal(0);
      release?.();
      await page.waitForSelector("text=No messages yet.");
    });

    it("shows the badges of an author by name, and reads them again when they change", async () => {
      await open(null);
      await say("hello");
      const badge = lineOf("hello").locator("img.badge-of");
      await eventually(async () => expect(await badge.getAttribute("alt")).equal("Broadcaster"), SOON);
      await channel.owner.api.ok("addChannelBadge", {
        params: channel.at,
        query: { name: "Regular" },
        ...(await image()),
      });
      const { badges } = await ada.api.ok("getChatRoom", { params: channel.at });
      const own = badges.find(({ name }) => name === "Regular");
      await channel.owner.api.ok("grantChannelBadge", {
        params: { ...channel.at, badge_id: own?.id ?? "", user_id: ada.id },
        body: {},
      });
      await sayAs(ada, "worn");
      await eventually(
        async () =>
          expect(
            await lineOf("worn")
              .locator("img.badge-of")
              .evaluateAll((all) => all.map((one) => Object(one).alt)),
          ).deep.equal(["VIP", "Regular"]),
        SOON,
      );
    });

    it("makes only plain addresses links, which tell the other site nothing and get no credit", async () => {
      await open(null);
      await say("see https://a.example/x?y=1, or javascript:alert(1) or https://bank.example@evil.example/");
      const links = lineOf("see").locator("a");
      await links.first().waitFor();
      expect(
        await links.evaluateAll((all) =>
          all.map((one) => [Object(one).href, Object(one).textContent, Object(one).rel]),
        ),
      ).deep.equal([["https://a.example/x?y=1", "https://a.example/x?y=1", "nofollow ugc noopener"]]);
    });

    it("marks lines that name or answer the reader, and the reader's own", async () => {
      await open(ada);
      const mine = await sayAs(ada, "mine");
      await say(`look @${ada.username}!`);
      await say(`mail@${ada.username} isn't one`);
      await say("an answer", mine.uuid);
      await lineOf("an answer").waitFor();
      const marked = page.locator(".line.to-self .text");
      expect(await marked.allTextContents()).deep.equal([`look @${ada.username}!`, "an answer"]);
      expect(await page.locator(".line.own .text").allTextContents()).deep.equal(["mine"]);
      expect(await lineOf("an answer").locator(".reply").textContent()).equal(
        `Replying to ${ada.username}: mine`,
      );
    });

    it("leaves a deleted message's line without its text, and takes it from its answers", async () => {
      await open(null);
      const bad = await sayAs(ada, "rude words");
      await say("please don't", bad.uuid);
      await lineOf("please").waitFor();
      await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: bad.uuid } });
      await page.waitForSelector("text=Message deleted");
      expect(await page.textContent(".log")).not.include("rude words");
      expect(await lineOf("please").locator(".reply").textContent()).equal(`Reply to ${ada.username}`);
    });

    it("shows a line's time while it is pointed at, and none before", async () => {
      await open(null);
      await say("when was it?");
      await lineOf("when").waitFor();
      expect(await lineOf("when").locator("time").isVisible()).equal(false);
      await lineOf("when").hover();
      expect(await lineOf("when").locator("time").textContent()).match(/\d\d:\d\d/);
    });

    it("lets the keyboard go through the lines, which stand still meanwhile", async () => {
      await open(ada);
      await say("first");
      await say("second");
      await lineOf("second").waitFor();
      await page.focus(".log");
      await page.keyboard.press("Enter");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      expect(await page.textContent(".replying")).equal(`Replying to ${channel.owner.username}: first`);
      await page.keyboard.press("Escape");
      expect(await page.locator(".replying").count()).equal(0);
    });
  });

  describe("pinned message", () => {
    it("shows a pin and its end, and stays hidden once a reader has hidden it", async () => {
      await open(null);
      const { uuid } = await say("<b>Rules</b> of the house");
      await channel.owner.api.ok("pinChatMessage", { params: channel.at, body: { uuid } });
      await page.waitForSelector(".pin");
      expect(await page.textContent(".pin .pinned")).equal(
        `${channel.owner.username}: <b>Rules</b> of the house`,
      );
      await page.click(".pin >> text=Hide");
      expect(await page.locator(".pin").count()).equal(0);
      await page.reload();
      await page.waitForSelector(".pin");
      await channel.owner.api.ok("unpinChatMessage", { params: channel.at });
      await page.waitForSelector(".pin", { state: "detached" });
    });
  });

  describe("poll", () => {
    const openPoll = () =>
      channel.owner.api.ok("createPoll", {
        params: channel.at,
        body: { question: "Tabs?", options: ["Yes", "No"], duration_sec: 60 },
      });

    it("takes a vote by a button, marks it, and knows it after a reload", async () => {
      await open(ada);
      const poll = await openPoll();
      await page.click(".ballot >> text=No");
      await page.waitForSelector(".poll [data-own=true]:has-text('No')");
      await page.waitForSelector("text=1 vote");
      await page.reload();
      await page.waitForSelector(".poll [data-own=true]:has-text('No')");
      await channel.owner.api.ok("endPoll", { params: { poll_id: poll.id } });
      await page.waitForSelector("text=Poll ended");
      await page.waitForSelector(".poll [data-own=true][data-winner=true]:has-text('No') >> text=100% (1)");
    });

    it("shows the vote that counted when another one came first", async () => {
      await open(ada);
      const poll = await openPoll();
      await page.waitForSelector(".ballot");
      await ada.api.ok("voteInPoll", {
        params: { poll_id: poll.id },
        body: { option_id: poll.options[0]?.id ?? "" },
      });
      await page.click(".ballot >> text=No");
      await page.waitForSelector(".poll [data-own=true]:has-text('Yes')");
    });

    it("is one line where the chat is low, until it is opened", async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      await open(ada);
      await openPoll();
      const head = page.locator(".poll .card-head:has-text('Tabs?')");
      await head.waitFor();
      expect((await page.locator(".poll").boundingBox())?.height).lessThan(60);
      await head.click();
      await page.waitForSelector(".ballot >> text=No");
      expect(await page.evaluate(nameOfFocused)).equal("Show less");
      await page.fill(".composer textarea", "four lines of a draft, which is as high as it gets ".repeat(4));
      await page.setViewportSize({ width: 360, height: 640 });
      expect((await page.locator(".messages").boundingBox())?.height, "for the lines").least(110);
    });

    it("hides a poll at its reader's wish, until its result", async () => {
      await open(ada);
      const poll = await openPoll();
      await page.click(".poll >> text=Hide");
      expect(await page.locator(".poll").count()).equal(0);
      await channel.owner.api.ok("endPoll", { params: { poll_id: poll.id } });
      await page.waitForSelector("text=Poll ended");
    });

    it("sends readers without an account to log in", async () => {
      await open(null);
      await openPoll();
      await page.waitForSelector("text=Log in to vote.");
      expect(await page.locator(".ballot").count()).equal(0);
    });
  });
});
