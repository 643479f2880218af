// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { countCalls } from "./calls.ts";
import { axeFaults, boxesOf, overhang, soundOf } from "./in-page.mjs";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

const SOON = { withinMs: 5_000, everyMs: 20 };
const DESKTOP = { width: 1_280, height: 800 };
const PHONE = { width: 360, height: 740 };

describe("watch page", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let page: Page;

  before(async () => {
    await servePublicFiles(browser.context, world.baseUrl);
    channel = await given.channel();
    ada = await given.user();
  });
  beforeEach(async () => {
    page = await browser.context.newPage();
    await page.setViewportSize(DESKTOP);
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
  });

  async function open(path = `/${channel.owner.username}`): Promise<void> {
    await page.goto(world.baseUrl + path);
    await page.waitForSelector(".watch .player");
    await page.waitForSelector(".watch .log");
  }
  const theatre = () => page.getAttribute(".watch", "data-theatre");
  const boxOf = async (selector: string) => {
    const [box] = await page.evaluate(boxesOf, [selector]);
    if (!box) throw new Error(`${selector} isn't shown`);
    return box;
  };
  /** The service's frames are changed to say that there is a broadcast, and since when. */
  async function asLive(since: number): Promise<void> {
    await page.routeWebSocket(/./, (route) => {
      const server = route.connectToServer();
      server.onMessage((frame) => route.send(String(frame).replace('"is_live":false', '"is_live":true')));
    });
    await page.route("**/playback?*", (route) =>
      route.fulfill({
        json: {
          stream_id: channel.stream.id,
          protocol: "ll-hls",
          live_since: new Date(since).toISOString(),
          manifest_url: `${world.baseUrl}/pictures/x/index.m3u8`,
          qualities: [],
          expires_at: new Date(Date.now() + 300_000).toISOString(),
        },
      }),
    );
    await page.route("**/pictures/**", (route) => route.fulfill({ status: 404 }));
  }

  it("fills the window with player and chat in theatre mode, until t or Escape", async () => {
    await open();
    await page.keyboard.press("t");
    await eventually(async () => expect(await theatre()).equal("true"), SOON);
    const [stage, beside] = [await boxOf(".stage"), await boxOf(".beside")];
    expect([stage.top, stage.bottom, beside.top, beside.bottom]).deep.equal([0, 800, 0, 800]);
    expect(await page.isVisible(".top-bar")).equal(false);
    await page.keyboard.press("Escape");
    await eventually(async () => expect(await theatre()).equal("false"), SOON);
    expect(await page.isVisible(".top-bar")).equal(true);
    await page.keyboard.press("t");
    await page.keyboard.press("t");
    expect(await theatre()).equal("false");
  });

  it("shows player and chat on the whole screen, and leaves theatre mode with it", async () => {
    await asLive(Date.now());
    await open();
    await page.click("[aria-label='Full screen with chat']");
    await eventually(() => page.evaluate("document.fullscreenElement === document.documentElement"), SOON);
    expect(await theatre()).equal("true");
    expect(await page.isVisible(".log")).equal(true);
    await page.evaluate("document.exitFullscreen()");
    await eventually(async () => expect(await theatre()).equal("false"), SOON);
  });

  it("leaves keys to what is written, and arrows to the chat's lines", async () => {
    await asLive(Date.now());
    await signIn(browser.context, world.baseUrl, ada);
    await open();
    await page.waitForSelector(".draft textarea");
    await page.waitForSelector(".watch video");
    await page.keyboard.press("ArrowDown");
    await eventually(async () => expect((await page.evaluate(soundOf))[1]).equal(0), SOON);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await eventually(async () => expect(await page.evaluate(soundOf)).deep.equal([false, 0.2]), SOON);
    await page.focus(".log");
    await page.keyboard.press("ArrowUp");
    await page.focus(".draft textarea");
    await page.keyboard.type("t m");
    expect(await page.inputValue(".draft textarea")).equal("t m");
    expect(await theatre()).equal("false");
    expect(await page.evaluate(soundOf)).deep.equal([false, 0.2]);
  });

  it("begins as loud as the last player was, and muted until the page was used", async () => {
    // To the browser's debugger, everything that it does is done by the user.
    await page.addInitScript("Object.defineProperty(navigator, 'userActivation', { value: null })");
    await asLive(Date.now());
    await open();
    await page.evaluate("localStorage.clear()");
    await page.reload();
    await page.waitForSelector(".watch video");
    for (let presses = 0; presses < 4; presses++) await page.keyboard.press("ArrowUp");
    await eventually(async () => expect(await page.evaluate(soundOf)).deep.equal([false, 0.4]), SOON);
    await page.reload();
    await page.waitForSelector(".watch video");
    await eventually(async () => expect(await page.evaluate(soundOf)).deep.equal([true, 0.4]), SOON);
    await page.keyboard.press("m");
    await eventually(async () => expect(await page.evaluate(soundOf)).deep.equal([false, 0.4]), SOON);
  });

  it("counts the time on air", async () => {
    await asLive(Date.now() - 3_723_000);
    await open();
    await page.waitForSelector("text=/Live for 1:02:0[3-9]/");
    await page.waitForSelector("text=/Live for 1:02:1\\d/", { timeout: 20_000 });
  });

  it("has tabs for chat and channel below the player on a phone, which fill the rest", async () => {
    await page.setViewportSize(PHONE);
    await open();
    const [stage, tabs, chat] = [await boxOf(".stage"), await boxOf(".tabs"), await boxOf(".beside")];
    expect([tabs.top, chat.top]).deep.equal([stage.bottom, tabs.bottom]);
    expect(chat.bottom).equal(PHONE.height);
    expect(await page.isVisible(".channel-header")).equal(false);
    await page.focus("[role=tab][aria-selected=true]");
    await page.keyboard.press("ArrowRight");
    expect(await page.isVisible(".channel-header")).equal(true);
    expect(await page.isVisible(".log")).equal(false);
    expect(await page.textContent(":focus")).equal("About");
    await page.setViewportSize({ width: 740, height: 360 });
    await page.waitForSelector(".tabs", { state: "detached" });
    expect(await page.isVisible(".log"), "beside the player, once the phone is turned").equal(true);
  });

  it("renders nothing outside the chat for its messages", async () => {
    await signIn(browser.context, world.baseUrl, ada);
    await open();
    await page.waitForSelector(".draft textarea");
    const calls = await countCalls(page);
    const messages = 20;
    for (let n = 1; n <= messages; n++)
      await channel.owner.api.ok("sendChatMessage", { params: channel.at, body: { content: `${n} calls` } });
    await page.waitForSelector(`text=${messages} calls`);
    // Texts of the functions that render a line, and everything around the chat.
    expect(await calls.of("line notice"), "lines").least(messages);
    const around: Record<string, number> = {};
    for (const text of ["channel-header", "about-channel", "top-bar", "side-list", "toasts", "stage"])
      around[text] = await calls.of(`\`${text}\``);
    expect(Object.values(around)).deep.equal(
      Object.values(around).map(() => 0),
      JSON.stringify(around),
    );
  });

  it("passes axe and fits the window, with lines, a pin, a poll and what opens, in all forms", async () => {
    const say = (content: string, reply_to_id?: string) =>
      channel.owner.api.ok("sendChatMessage", {
        params: channel.at,
        body: { content, ...(reply_to_id && { reply_to_id }) },
      });
    const { uuid } = await say(`@${ada.username} ${"x".repeat(60)} https://a.example/${"y".repeat(60)}`);
    await say("an answer", uuid);
    await channel.owner.api.ok("announceInChat", { params: channel.at, body: { content: "listen" } });
    await channel.owner.api.ok("pinChatMessage", { params: channel.at, body: { uuid } });
    const poll = { question: "w".repeat(60), options: ["v".repeat(25), "No"], duration_sec: 60 };
    const { id: poll_id } = await channel.owner.api.ok("createPoll", { params: channel.at, body: poll });
    await signIn(browser.context, world.baseUrl, ada);
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      for (const size of [PHONE, DESKTOP, { width: 3_840, height: 2_160 }]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        await open(`/${channel.owner.username}?${colorScheme}`);
        await page.waitForSelector(".pin");
        await page.evaluate(axe.source);
        const look = async (what: string) => {
          const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
          found.push(...faults.map((fault) => `${what} ${colorScheme} ${size.width}: ${fault}`));
        };
        if (size === PHONE) {
          await look("folded");
          await page.click("[aria-label='Show message']");
          await page.click("[aria-label='Show options']");
        }
        await page.waitForSelector(".ballot");
        await look("chat");
        const last = page.locator(".line").last();
        await last.hover();
        await last.locator("[data-act=reply]").click();
        await page.fill(".draft textarea", "");
        await page.type(".draft textarea", "/");
        await page.waitForSelector(".completion [role=option]");
        await look("completion");
        await page.click(".emotes-of");
        await page.waitForSelector(".emote-picker");
        await look("picker");
      }
    }
    await channel.owner.api.ok("endPoll", { params: { poll_id } });
    expect(found).deep.equal([]);
  });

  it("A page that is left leaves its topics once, and subscribes to none of them again", async () => {
    const sent: string[] = [];
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(String(payload))));
    await open();
    await page.waitForLoadState("networkidle");
    sent.length = 0;
    await page.click(".top-bar a.browse");
    await page.waitForSelector("main h1:text-is('Categories')");
    const of = (topic: string) =>
      sent
        .filter((frame) => frame.includes(`"${topic}:`))
        .map((frame) => /(?:un)?subscribe/.exec(frame)?.[0]);
    for (const topic of ["chat", "viewers"])
      await eventually(() => expect(of(topic), topic).deep.equal(["unsubscribe"]), SOON);
  });
});
