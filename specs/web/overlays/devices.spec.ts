// @waits: for alerts, which stand on the screen for seconds.
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { CreatedOverlay } from "../../../contract/wire.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { addressOf, createOverlay, setUpOverlay } from "./open-overlay.ts";

const SOON = { withinMs: 15_000, everyMs: 20, what: "alerts" };
const HOUR_AHEAD = `{
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...parts) { super(...(parts.length ? parts : [Real.now() + 3600000])); }
    static now() { return Real.now() + 3600000; }
  };
}`;

describe("alerts of an overlay", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpOverlay(browser);
  let channel: Channel;
  let page: Page;
  let shown: string[] = [];

  beforeEach(async () => {
    channel = await given.channel();
  });

  async function open(script: string): Promise<CreatedOverlay> {
    const overlay = await createOverlay(channel, {
      kind: "alerts",
      settings: { alert_seconds: 2, volume: 25 },
    });
    ({ page, shown } = await opened(addressOf(world.baseUrl, overlay), script));
    return overlay;
  }
  async function follow(): Promise<string> {
    return `${(await given.followerOf(channel)).username} followed`;
  }
  const shownUntil = (wanted: string[]) => eventually(() => expect(shown).deep.equal(wanted), SOON);

  it("are shown once where the clock is an hour ahead, also before the socket says what time it is", async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((done) => {
      release = done;
    });
    await browser.context.routeWebSocket(/\/v1\/ws/, async (socket) => {
      await released;
      socket.connectToServer();
    });
    const read = browser.context.waitForEvent("response", (one) => one.url().endsWith("/v1/overlay/alerts"));
    await open(HOUR_AHEAD);
    await read;
    release();
    const one = await follow();
    await shownUntil([one]);
    await page.reload();
    await page.waitForSelector(".overlay");
    const two = await follow();
    await shownUntil([one, two]);
  });

  it("are shown where storage is blocked or full", async () => {
    await open(
      `Storage.prototype.setItem = Storage.prototype.getItem = () => { throw new DOMException("full"); };`,
    );
    const one = await follow();
    await shownUntil([one]);
  });

  it("are heard as loud as was chosen where sound is allowed, and not later than they are seen where it is allowed later", async () => {
    const overlay = await open(`{
      globalThis.tones = 0;
      globalThis.loudest = [];
      AudioParam.prototype.linearRampToValueAtTime = (value) => { globalThis.loudest.push(value); };
      let state = "suspended";
      let context;
      Object.defineProperty(BaseAudioContext.prototype, "state", { get() { context = this; return state; } });
      AudioContext.prototype.resume = () => new Promise(() => undefined);
      OscillatorNode.prototype.start = () => { globalThis.tones += 1; };
      OscillatorNode.prototype.stop = () => undefined;
      globalThis.allowSound = () => { state = "running"; context.dispatchEvent(new Event("statechange")); };
    }`);
    const one = await follow();
    await shownUntil([one]);
    const two = await follow();
    await shownUntil([one, two]);
    await page.waitForSelector(".alert", { state: "detached" });
    await page.evaluate("allowSound()");
    expect(await page.evaluate("tones")).equal(0);
    const three = await follow();
    await shownUntil([one, two, three]);
    expect(await page.evaluate("tones")).equal(2);
    // A quarter of the loudest.
    expect(await page.evaluate("loudest")).deep.equal([0.1, 0.1]);
    const params = { ...channel.at, overlay_id: overlay.id };
    const settings = { sound: false, theme: "clear" } as const;
    await channel.owner.api.ok("updateOverlay", { params, body: { settings } });
    await page.waitForSelector(".overlay[data-theme=clear]");
    const four = await follow();
    await shownUntil([one, two, three, four]);
    expect(await page.evaluate("tones")).equal(2);
  });

  it("are shown by a page that counts anew how often its script didn't come", async () => {
    await open("");
    await page.evaluate("sessionStorage.setItem('livecore-overlay-reloads', '5')");
    await page.reload();
    await page.waitForSelector(".overlay");
    expect(await page.evaluate("sessionStorage.getItem('livecore-overlay-reloads')")).equal(null);
  });
});
