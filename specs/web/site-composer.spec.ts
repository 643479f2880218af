// @waits: for a browser to lay pages out.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { givenBilling } from "../support/billing.ts";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { image } from "../support/images.ts";
import { openOwnStores } from "../support/own-stores.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

const SOON = { withinMs: 5_000, everyMs: 20 };

describe("composer of a channel's own page", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ stores: openOwnStores });
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
  const say = (content: string) =>
    channel.owner.api.ok("sendChatMessage", { params: channel.at, body: { content } });
  const send = async (text: string) => {
    await page.fill(".draft textarea", text);
    await page.press(".draft textarea", "Escape");
    await page.press(".draft textarea", "Enter");
  };
  const lineOf = (text: string) => page.locator(".line", { hasText: text });
  const draft = () => page.inputValue(".draft textarea");

  it("answers a message by its button, says which one, and ends that by Escape", async () => {
    await open(ada);
    const { uuid } = await say("who is there?");
    await lineOf("who is").hover();
    await lineOf("who is").locator("[data-act=reply]").click();
    await page.waitForSelector(".replying");
    await page.press(".draft textarea", "Escape");
    expect(await page.locator(".replying").count()).equal(0);
    await lineOf("who is").hover();
    await lineOf("who is").locator("[data-act=reply]").click();
    await page.fill(".draft textarea", "me");
    await page.press(".draft textarea", "Enter");
    await eventually(async () => {
      const { items } = await ada.api.ok("listChatMessages", { params: channel.at });
      expect(items.map(({ content, reply_to_id }) => [content, reply_to_id])).deep.equal([
        ["who is there?", null],
        ["me", uuid],
      ]);
    }, SOON);
    expect(await page.locator(".replying").count()).equal(0);
  });

  it("inserts emotes from a searchable grid by the keyboard alone", async () => {
    for (const name of ["teaTime", "goodTea", "wave"]) {
      const sent = { params: channel.at, query: { name }, ...(await image()) };
      await channel.owner.api.ok("addChannelEmote", sent);
    }
    await open(ada);
    await page.focus(".emotes-of");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".emote-picker li");
    expect(await page.locator(".emote-picker li").count()).equal(3);
    await page.keyboard.type("tea");
    expect(await page.locator(".emote-picker li").count()).equal(2);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    expect(await draft()).equal("teaTime ");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".line img.emote[alt=teaTime]");
  });

  it("locks emotes of a higher tier, says how to unlock them, and does so after a subscription", async () => {
    for (const [name, min_tier] of [
      ["freeTea", 0],
      ["goldTea", 2],
    ] as const) {
      const sent = { params: channel.at, query: { name, min_tier }, ...(await image()) };
      await channel.owner.api.ok("addChannelEmote", sent);
    }
    await open(ada);
    await page.click(".emotes-of");
    const locked = '.emote-picker [aria-label="goldTea: Subscribe at tier 2 to use it"]';
    await page.focus(`${locked}[aria-disabled=true]`);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".toast:has-text('Subscribe at tier 2 to use it')");
    await page.click(".emote-picker [aria-label=freeTea]");
    expect(await draft()).equal("freeTea ");
    await page.fill(".draft textarea", ":goldt");
    await page.press(".draft textarea", "Backspace");
    expect(await page.locator(".completion img").count(), "not suggested either").equal(0);

    const body = { channel_user_id: channel.owner.id, tier: 2 };
    const { checkout_url } = await ada.api.ok("createSubscriptionCheckout", { body });
    await givenBilling(world).press(checkout_url, "pay");
    const at = { params: { username: channel.owner.username } };
    await eventually(async () =>
      expect((await ada.api.ok("getMyStanding", at)).subscription).include({ status: "active" }),
    );
    await page.click(".draft textarea");
    await page.click(".emotes-of");
    await page.click(".emote-picker [aria-label=goldTea]");
    expect(await draft()).include("goldTea ");
  });

  it("completes commands that its user's role may run, names and emotes", async () => {
    await channel.owner.api.ok("addChannelEmote", {
      params: channel.at,
      query: { name: "teaTime" },
      ...(await image()),
    });
    await open(ada);
    await say("hello");
    await lineOf("hello").waitFor();
    const options = () => page.locator(".completion [role=option] b").allTextContents();
    await page.type(".draft textarea", "/");
    expect(await options()).deep.equal(["/me [text]"]);
    await page.keyboard.press("Escape");
    await page.fill(".draft textarea", "");
    await page.type(".draft textarea", `hey @${channel.owner.username.slice(0, 4)}`);
    expect(await options()).deep.equal([channel.owner.username]);
    await page.keyboard.press("Enter");
    expect(await draft()).equal(`hey @${channel.owner.username} `);
    await page.type(".draft textarea", ":teat");
    await page.keyboard.press("Backspace");
    await page.waitForSelector(".completion img");
    await page.keyboard.press("Tab");
    expect(await draft()).equal(`hey @${channel.owner.username} teaTime `);

    await channel.owner.api.ok("addModerator", { params: { ...channel.at, user_id: ada.id } });
    await page.fill(".draft textarea", "");
    await eventually(async () => {
      await page.fill(".draft textarea", "");
      await page.type(".draft textarea", "/t");
      expect(await options()).deep.equal(["/timeout [user] [10m] [reason]"]);
    }, SOON);
  });

  it("runs a moderator's commands and says their results and refusals to their author", async () => {
    await open(channel.owner);
    await send("/slow 5");
    await page.waitForSelector("text=Done: /slow 5");
    await page.waitForSelector("text=Slow mode: 5 seconds");
    await send("/slow banana");
    await page.waitForSelector(".why:has-text('Usage: /slow')");
    expect(await draft()).equal("/slow banana");
    await send("/ban nobody_at_all");
    await page.waitForSelector(".why:has-text('No user has that name.')");
    expect(await page.locator(".line").count(), "nothing of it is said").equal(0);
  });

  it("names a command that doesn't exist, and clears the chat when /clear is sent twice", async () => {
    await open(channel.owner);
    await say("still here");
    await send("/timout ada");
    await page.waitForSelector(".why:has-text('There is no command /timout. Type / to see them all.')");
    await send("/clear");
    await page.waitForSelector(".composer [role=alert]:has-text('Send /clear again to do it.')");
    await page.waitForSelector(".line:has-text('still here')");
    expect(await draft()).equal("/clear");
    await page.fill(".draft textarea", "/clear ");
    // What repeats the press that asks doesn't answer.
    await page.focus(".draft textarea");
    await page.keyboard.down("Enter");
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await page.waitForSelector(".composer [role=alert]:has-text('Send /clear again to do it.')");
    await page.fill(".draft textarea", "/clear");
    await page.dblclick(".composer button[type=submit]");
    await page.waitForSelector(".composer [role=alert]:has-text('Send /clear again to do it.')");
    await page.waitForSelector(".line:has-text('still here')");
    await page.press(".draft textarea", "Enter");
    await page.waitForSelector(".line:has-text('still here')", { state: "detached" });
  });

  it("grows to four lines, and sends pasted line breaks as spaces", async () => {
    await open(ada);
    const height = async () => (await page.locator(".draft textarea").boundingBox())?.height ?? 0;
    const one = await height();
    await page.fill(".draft textarea", "first\nsecond");
    expect(await draft()).equal("first second");
    await page.press(".draft textarea", "Enter");
    await lineOf("first second").waitFor();
    await page.fill(".draft textarea", "word ".repeat(20));
    expect(await height()).greaterThan(1.5 * one);
    await page.fill(".draft textarea", "word ".repeat(90));
    expect(await height()).within(2.5 * one, 4 * one);
  });

  it("tells users without a role that commands aren't for them", async () => {
    await open(await given.user());
    await send("/ban bob");
    await page.waitForSelector('.why:has-text("Commands don\'t work here, except /me.")');
  });

  it("counts slow mode down after a message, and not for users who are exempt", async () => {
    await channel.owner.api.ok("updateChatSettings", { params: channel.at, body: { slow: 30 } });
    await open(await given.user());
    await send("one");
    await page.waitForSelector(".slow:text-matches('You can send in (2\\\\d|30) seconds')");
    await channel.owner.api.ok("updateChatSettings", { params: channel.at, body: { slow: null } });
    await page.waitForSelector(".slow", { state: "detached" });
    await channel.owner.api.ok("updateChatSettings", { params: channel.at, body: { slow: 30 } });
    await signIn(browser.context, world.baseUrl, ada);
    await page.goto(`${world.baseUrl}/${channel.owner.username}`);
    await send("two");
    await lineOf("two").waitFor();
    expect(await page.locator(".slow").count()).equal(0);
  });
});
