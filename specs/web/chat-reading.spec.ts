import axe from "axe-core";
import { expect } from "chai";
import type { Frame, Page, WebSocketRoute } from "playwright-core";
import { newId } from "../../base/ids.ts";
import { framed, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, boxesOf, directionOf, dotsBefore, firstTextInSight, placeOfLine } from "./in-page.mjs";
import { GRACE, messageOf, tipOf } from "./made-up-events.ts";

/** More than are seen at once, and enough to scroll in. */
const MANY = 70;
/** A picture's name in its place moves the text beside it. */
const WITHIN_LINE_PX = 6;
const SOON = { withinMs: 5_000, everyMs: 20 };

describe("what a reader of the embedded chat sees", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let page: Page;
  let chat: Frame;

  beforeEach(async () => {
    channel = await given.channel();
    ({ page } = await browser.foreignPage(
      (host) =>
        `<iframe src="${world.baseUrl}/embed/chat/${channel.owner.username}?parent=${host}" width=340 height=500></iframe>`,
    ));
    chat = await framed(page);
    await chat.waitForSelector("text=No messages yet.");
  });
  afterEach(() => page?.close());

  /** By the owner, who may say a hundred things in half a minute. */
  const say = (content: string) =>
    channel.owner.api.ok("sendChatMessage", { params: channel.at, body: { content } });
  async function sayMany() {
    const messages = [];
    for (let n = 0; n < MANY; n++) messages.push(await say(`line ${n}.`));
    await chat.waitForSelector(`text=line ${MANY - 1}.`);
    return messages;
  }
  const remove = (uuid: string) =>
    channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid } });
  const contentHeight = () => chat.$eval("[role=log]", (log) => log.scrollHeight);
  const lines = () => chat.$$eval(".line .text", (all) => all.map((one) => one.textContent));
  const until = (wanted: string[]) =>
    eventually(async () => expect(await lines()).deep.equal(wanted), { ...SOON, what: "lines" });

  it("stays where it is when lines before it are deleted, and counts none of them off", async () => {
    const messages = await sayMany();
    await chat.$eval("[role=log]", (log) => log.scrollTo(0, 0));
    await chat.waitForSelector(".newest");
    const seen = await chat.evaluate(firstTextInSight);
    const before = await chat.evaluate(placeOfLine, seen);
    const shown = await lines();
    const first = messages.findIndex(({ content }) => content === shown[0]);
    for (const { uuid } of messages.slice(first, first + 3)) await remove(uuid);
    await eventually(async () => !(await lines()).includes(shown[2] ?? ""), SOON);

    expect(await chat.evaluate(placeOfLine, seen)).closeTo(Number(before), WITHIN_LINE_PX);
    await say("new one");
    await chat.waitForSelector("text=1 new message");
  });

  it("stays where it is when pictures of the lines before it don't come", async () => {
    const waiting: (() => Promise<void>)[] = [];
    await page.route(/./, async (route) => {
      if (route.request().resourceType() === "image") waiting.push(() => route.abort());
      else await route.continue();
    });
    await sayMany();
    await chat.$eval("[role=log]", (log) => log.scrollTo(0, 0));
    await chat.waitForSelector(".newest");
    const seen = await chat.evaluate(firstTextInSight);
    const [before, height] = [await chat.evaluate(placeOfLine, seen), await contentHeight()];
    for (const fail of waiting.splice(0)) await fail();
    await eventually(async () => expect(await contentHeight()).above(height), SOON);
    // A place asked for between a change and its frame is one that nobody sees.
    await eventually(async () => {
      expect(await chat.evaluate(placeOfLine, seen)).closeTo(Number(before), WITHIN_LINE_PX);
    }, SOON);
  });

  it("goes on with new messages when all that was being read is gone", async () => {
    await sayMany();
    await chat.$eval("[role=log]", (log) => log.scrollTo(0, 0));
    await chat.waitForSelector(".newest");
    await channel.owner.api.ok("clearChat", { params: channel.at });
    await chat.waitForSelector(".newest", { state: "detached" });
    await say("after it");
    await until(["after it"]);
  });

  it("is stopped by turning the wheel a little, and read aloud only while it is slow", async () => {
    const live = () => chat.$eval("[role=log]", (log) => log.getAttribute("aria-live"));
    expect(await live()).equal("polite");
    await sayMany();
    expect(await live()).equal("off");
    await page.mouse.move(100, 100);
    await page.mouse.wheel(0, -10);
    await chat.waitForSelector(".newest");
  });

  it("has nothing back that is deleted while the messages are being read", async () => {
    const { uuid } = await say("deleted");
    await say("stays");
    let isFirst = true;
    await page.route("**/chat/*/messages?*", async (route) => {
      // A room whose epoch has just begun has it read twice.
      if (!isFirst) return route.continue();
      isFirst = false;
      const answer = await route.fetch();
      await remove(uuid);
      await say("marker");
      // The page's new frame: this may come before the reload is reported as over.
      await (await framed(page)).waitForSelector("text=marker");
      await route.fulfill({ response: answer });
    });
    await page.reload();
    chat = await framed(page);
    await until(["stays", "marker"]);
  });

  it("loses what was deleted in a gap that it wasn't notified of", async () => {
    let socket: WebSocketRoute | null = null;
    await page.routeWebSocket(/./, (route) => {
      socket = route;
      const server = route.connectToServer();
      server.onMessage((frame) => {
        if (!String(frame).includes("chat.cleared")) route.send(frame);
      });
    });
    await page.reload();
    chat = await framed(page);
    await say("old");
    await until(["old"]);
    await channel.owner.api.ok("clearChat", { params: channel.at });
    const epoch = {
      type: "room.epoch",
      channel: `chat:${channel.stream.id}`,
      ts: Date.now(),
      data: { epoch: 2, continuous: false },
    };
    (socket as WebSocketRoute | null)?.send(JSON.stringify([epoch]));
    await until([]);
  });

  /** Reloads the page, and returns what sends it messages of its room, one after the other. */
  async function withMessages(): Promise<(type: string, data: object) => void> {
    let socket: WebSocketRoute | null = null;
    let seq = 0;
    await page.routeWebSocket(/./, (route) => {
      socket = route;
      route.connectToServer();
    });
    await page.reload();
    chat = await framed(page);
    await chat.waitForSelector("text=No messages yet.");
    return (type, data) => {
      const isEpoch = type === "room.epoch";
      seq = isEpoch ? 0 : seq + 1;
      const place = isEpoch ? {} : { seq };
      const message = { type, channel: `chat:${channel.stream.id}`, ts: Date.now(), ...place, data };
      (socket as WebSocketRoute | null)?.send(JSON.stringify([message]));
    };
  }
  const wholeLines = () => chat.$$eval(".line", (all) => all.map((one) => one.textContent));
  const untilLines = (wanted: string[]) =>
    eventually(async () => expect(await wholeLines()).deep.equal(wanted), { ...SOON, what: "lines" });

  it("has amounts in the units of their currency", async () => {
    const receive = await withMessages();
    receive("tip.received", tipOf(550, "JPY"));
    receive("tip.received", tipOf(100_000, "USD"));
    receive("tip.received", tipOf(1_500, "KWD"));
    await untilLines(["grace tipped ¥550.", "grace tipped $1,000.00.", "grace tipped KWD\u00a01.500."]);
  });

  it("has a tip once, with its text when that comes, before or after the tip", async () => {
    const receive = await withMessages();
    const [first, second] = [tipOf(550, "JPY"), tipOf(100, "USD")];
    const textOf = ({ tip_id: id, amount_cents, currency }: typeof first) =>
      messageOf(id, { type: "tip", act: { type: "tip", id, amount_cents, currency } });
    receive("tip.received", first);
    receive("chat.message", textOf(first));
    receive("chat.message", textOf(second));
    receive("tip.received", second);
    receive("raid.incoming", { raid: { viewer_count: 1 }, source_user: GRACE, target_user: GRACE });
    await untilLines([
      "Tip: ¥550grace: for the tea",
      "Tip: $1.00grace: for the tea",
      "grace raids with 1 viewer.",
    ]);
  });

  it("shows notices of two epochs that have the same number", async () => {
    const receive = await withMessages();
    const raidOf = (viewer_count: number) => ({
      raid: { viewer_count },
      source_user: GRACE,
      target_user: GRACE,
    });
    receive("raid.incoming", raidOf(3));
    receive("room.epoch", { epoch: 2, continuous: true });
    receive("raid.incoming", raidOf(7));
    await untilLines(["grace raids with 3 viewers.", "grace raids with 7 viewers."]);
  });

  it("says which reward was redeemed without a text, and when the chat was cleared", async () => {
    const fan = await given.followerOf(channel);
    const { id: reward_id } = await channel.owner.api.ok("createReward", {
      body: { title: "Hydrate", cost: 10 },
    });
    await fan.api.ok("redeemReward", { params: { reward_id }, body: {} });
    await untilLines([`${fan.username} redeemed Hydrate.`]);
    await channel.owner.api.ok("clearChat", { params: channel.at });
    await untilLines(["The chat was cleared."]);
  });

  it("marks announcements, and sends voters to the channel's page while a poll is open", async () => {
    const receive = await withMessages();
    receive("chat.message", messageOf(newId(), { type: "announcement", content: "doors open" }));
    await untilLines(["Announcementgrace: doors open"]);
    const poll = { question: "Which?", options: ["One", "Two"], duration_sec: 60 };
    const { id: poll_id } = await channel.owner.api.ok("createPoll", { params: channel.at, body: poll });
    await chat.waitForSelector("text=Vote on the channel's page.");
    await channel.owner.api.ok("endPoll", { params: { poll_id } });
    await chat.waitForSelector("text=Poll ended");
    expect(await chat.$("text=Vote on the channel's page.")).equal(null);
  });

  it("gives each text its own direction", async () => {
    await channel.owner.api.ok("createPoll", {
      params: channel.at,
      body: { question: "מה עכשיו?", options: ["One", "שתיים"], duration_sec: 60 },
    });
    await say("שלום, world");
    await say("hello");
    await until(["שלום, world", "hello"]);
    await chat.waitForSelector(".poll");
    const directions = await chat.$$eval(".line .text, .poll h2, .poll li > span:first-child", directionOf);
    // In the order of the page: the poll first.
    expect(directions).deep.equal(["rtl", "ltr", "rtl", "rtl", "ltr"]);
  });

  it("passes axe with lines, modes and a poll, in light and dark", async () => {
    await channel.owner.api.ok("updateChatSettings", {
      params: channel.at,
      body: { slow: 90, followers_only: 10_080, unique_chat: true },
    });
    await channel.owner.api.ok("createPoll", {
      params: channel.at,
      body: { question: "Which?", options: ["One", "Two"], duration_sec: 60 },
    });
    await say("hello");
    await chat.waitForSelector(".line .text");
    await chat.waitForSelector(".poll");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await chat.evaluate(axe.source);
      expect(await chat.evaluate(axeFaults)).deep.equal([]);
    }
    const [first, second] = await chat.evaluate(boxesOf, [".modes li:first-child", ".modes li:nth-child(2)"]);
    expect(second?.top, "the bar has several rows").above(first?.top ?? 0);
    const dots = await chat.$$eval(".modes li", dotsBefore);
    expect(dots).deep.equal(["none", "none", "none"]);
  });
});
