import { expect } from "chai";
import type { Frame, Page, WebSocketRoute } from "playwright-core";
import { framed, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { placeOfLine, textInSight } from "./in-page.mjs";

/** More than are seen at once, and enough to scroll in. */
const MANY = 70;
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
    await chat.waitForSelector("text=Nobody has said anything yet.");
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
  const lines = () => chat.$$eval(".line .text", (all) => all.map((one) => one.textContent));
  const until = (wanted: string[]) =>
    eventually(async () => expect(await lines()).deep.equal(wanted), { ...SOON, what: "lines" });

  it("stays where it is when lines before it are deleted, and counts none of them off", async () => {
    const messages = await sayMany();
    await chat.$eval("[role=log]", (log) => log.scrollTo(0, 0));
    await chat.waitForSelector(".newest");
    const seen = (await chat.evaluate(textInSight))?.split(": ").at(-1);
    const before = await chat.evaluate(placeOfLine, seen);
    const shown = await lines();
    const first = messages.findIndex(({ content }) => content === shown[0]);
    for (const { uuid } of messages.slice(first, first + 3)) await remove(uuid);
    await eventually(async () => !(await lines()).includes(shown[2] ?? ""), SOON);

    expect(await chat.evaluate(placeOfLine, seen)).equal(before);
    await say("new one");
    await chat.waitForSelector("text=1 new message");
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
});
