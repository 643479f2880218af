import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { signIn } from "../signed-in.ts";
import { setUpPage } from "./set-up-page.ts";

const SOON = { withinMs: 10_000, everyMs: 20 };

describe("chat rules in the console", function () {
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
  });

  async function open(): Promise<void> {
    await page.goto(`${world.baseUrl}/console/chat`);
    await page.waitForSelector("text=No terms are blocked yet.");
    await page.waitForSelector("text=Slow mode");
  }
  const modes = () => channel.owner.api.ok("getChatModes", { params: channel.at });
  const becomes = (wanted: object) => eventually(async () => expect(await modes()).include(wanted), SOON);
  const says = (text: string) => page.waitForSelector(`.trial:has-text("${text}")`);

  const terms = async () =>
    (await channel.owner.api.ok("listBlockedTerms", { params: channel.at })).items.map((one) => [
      one.term,
      one.action,
    ]);

  it("switch modes at once, and show what somebody else has switched", async () => {
    await open();
    // It shows what is so, and not yet what was asked for.
    await page.click("text=Emotes only");
    await becomes({ emote_only: true });
    await page.selectOption("select:near(:text('Slow mode'))", "30");
    await becomes({ slow: 30 });
    await eventually(async () => expect(await page.isChecked("text=Emotes only")).equal(true), SOON);
    const body = { emote_only: false, followers_only: 777 };
    await channel.owner.api.ok("updateChatSettings", { params: channel.at, body });
    await eventually(async () => expect(await page.isChecked("text=Emotes only")).equal(false), SOON);
    await page.waitForSelector("option:text('Followed for 12 hours 57 minutes')", { state: "attached" });
  });

  it("try a term on recent messages before it is added, change what it does, and delete it", async () => {
    const say = (who: Person, content: string) =>
      who.api.ok("sendChatMessage", { params: channel.at, body: { content } });
    for (const content of ["hello there", "buy followers now", "<b>buying</b>"])
      await say(await given.user(), content);
    // No term touches what those say who moderate.
    await say(channel.owner, "buy my shirts");
    await open();
    await page.fill("[name=term]", "buy*");
    await page.click("text=Try on recent messages");
    await says("It would change 2 of the last 3 messages:");
    expect(await page.locator(".trial q").allTextContents()).deep.equal([
      "buy followers now",
      "<b>buying</b>",
    ]);
    await page.fill("[name=term]", "never said");
    await page.click("text=Try on recent messages");
    await says("It would change none of the last 3 messages.");
    await page.fill("[name=term]", "(");
    await page.check("label >> text=Regular expression");
    await page.click("text=Try on recent messages");
    await page.waitForSelector(".fault >> text=RE2");
    await page.uncheck("label >> text=Regular expression");
    await page.fill("[name=term]", "buy*");
    await page.click("button:text-is('Add')");
    await page.selectOption("[aria-label='What happens with “buy*”']", "hold");
    await eventually(async () => expect(await terms()).deep.equal([["buy*", "hold"]]), SOON);
    await page.click("[aria-label='Delete “buy*”']");
    await page.waitForSelector("text=No terms are blocked yet.");
    expect(await terms()).deep.equal([]);
  });

  it("leave the settings below shield mode alone, which sets its own", async () => {
    const { api } = channel.owner;
    await api.ok("updateChatSettings", {
      params: channel.at,
      body: { unique_chat: true, shield_mode: true },
    });
    await open();
    await page.waitForSelector("text=While shield mode is on");
    await page.click("label >> text=No repeated messages", { force: true });
    await page.click("text=Shield mode >> nth=0");
    await becomes({ shield_mode: false, unique_chat: true, slow: null });
    await eventually(
      async () => expect(await page.isChecked("label >> text=No repeated messages")).equal(true),
      SOON,
    );
  });

  it("list all terms, however many, and keep own changes with those of others", async () => {
    for (let n = 0; n < 60; n++)
      await channel.owner.api.ok("addBlockedTerm", { params: channel.at, body: { term: `term${n}` } });
    await page.goto(`${world.baseUrl}/console/chat`);
    await page.click("text=Show more");
    await page.click("[aria-label='Delete “term2”']");
    await page.waitForSelector("[aria-label='Delete “term2”']", { state: "detached" });
    await page.fill("[name=term]", "fresh");
    await page.click("button:text-is('Add')");
    await page.waitForSelector(".rows >> text=fresh");
    await channel.owner.api.ok("addBlockedTerm", {
      params: channel.at,
      body: { term: "term0", action: "hold" },
    });
    await eventually(
      async () => expect(await page.inputValue("[aria-label='What happens with “term0”']")).equal("hold"),
      SOON,
    );
    expect(await page.locator("[aria-label='Delete “term2”']").count()).equal(0);
    expect(await page.locator(".rows >> text=fresh").count()).equal(1);
  });

  it("are switched and added on the desk by moderators, who are in the log with that", async () => {
    const moderator = await given.moderatorOf(channel);
    await signIn(browser.context, world.baseUrl, moderator);
    await page.goto(`${world.baseUrl}/console/${channel.owner.username}/moderation`);
    await page.click("label:has-text('Emotes only')");
    await becomes({ emote_only: true });
    await page.waitForSelector(
      `.log-panel .rows li:has-text("Emotes only on"):has-text("${moderator.username}")`,
    );
    await page.fill("[name=term]", "buy*");
    await page.click("button:text-is('Add')");
    await page.selectOption("[aria-label='What happens with “buy*”']", "hold");
    await eventually(async () => expect(await terms()).deep.equal([["buy*", "hold"]]), SOON);
    await page.click("[aria-label='Delete “buy*”']");
    await eventually(async () => expect(await terms()).deep.equal([]), SOON);
  });

  it("show terms that a moderator adds meanwhile", async () => {
    await open();
    await channel.owner.api.ok("addBlockedTerm", { params: channel.at, body: { term: "elsewhere" } });
    await page.waitForSelector(".rows >> text=elsewhere");
  });
});
