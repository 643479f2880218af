// @waits: for the timers of pages.
import { expect } from "chai";
import type { Frame, Page, Route } from "playwright-core";
import { PRESENCE_WINDOW_MS } from "../../realtime/rooms/presence.ts";
import { framed, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { fire, isPaused, louderThenSilent, overhang, playNothing, rowsOf, soundOf } from "./in-page.mjs";

const PATIENT = { withinMs: 20_000, everyMs: 50 };
const MASTER = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360\nlow.m3u8\n";
const HIGH = "#EXT-X-STREAM-INF:BANDWIDTH=6000000,RESOLUTION=1920x1080\nhigh.m3u8\n";
const QUALITY = { label: "360p", bitrate: 800 };

describe("the embedded player, where something is missing", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let page: Page;
  let player: Frame;
  let send: (frame: string) => void;

  beforeEach(async () => {
    channel = await given.channel();
  });
  afterEach(() => page?.close());

  /** With what is to happen before its pages load. */
  async function open(query: string, prepare: () => Promise<unknown> = async () => undefined) {
    let address = "";
    ({ page } = await browser.foreignPage((host) => {
      address = `${world.baseUrl}/embed/player/${channel.owner.username}?parent=${host}${query}`;
      return `<iframe width=600 height=400 allow="autoplay"></iframe>`;
    }));
    // The service's frames are changed to say that there is a broadcast.
    await page.routeWebSocket(/./, (route) => {
      send = (frame) => route.send(frame);
      const server = route.connectToServer();
      server.onMessage((frame) => route.send(String(frame).replace('"is_live":false', '"is_live":true')));
    });
    await prepare();
    await page.$eval("iframe", (frame, src) => frame.setAttribute("src", src), address);
    await eventually(async () => (await framed(page)).url() === address, PATIENT);
    player = await framed(page);
  }

  /** A broadcast that says which pictures there are, and has none. */
  async function withoutPieces(hold: () => Promise<void> = async () => undefined, hasQualities = true) {
    const requests = { playback: 0, manifest: 0, heartbeats: 0 };
    await page.route("**/playback?*", async (route: Route) => {
      requests.playback++;
      await hold();
      const source = {
        stream_id: channel.stream.id,
        protocol: "ll-hls",
        live_since: new Date().toISOString(),
        manifest_url: `${world.baseUrl}/pictures/x/index.m3u8`,
        qualities: hasQualities ? [QUALITY] : [],
        expires_at: new Date(Date.now() + 300_000).toISOString(),
      };
      await route.fulfill({ json: source }).catch(() => undefined);
    });
    await page.route("**/pictures/**", (route) => {
      const isMaster = route.request().url().endsWith("index.m3u8");
      if (isMaster) requests.manifest++;
      return route.fulfill(isMaster ? { body: MASTER } : { status: 404 });
    });
    page.on("request", (request) => {
      if (request.url().endsWith("/heartbeat")) requests.heartbeats++;
    });
    return requests;
  }

  it("asks whether the channel is live where the service's first words don't say", async () => {
    await open("", async () => {
      await page.routeWebSocket(/./, (route) => {
        const server = route.connectToServer();
        server.onMessage((frame) => route.send(String(frame).replace('"is_live":', '"unknown":')));
      });
    });
    await player.waitForSelector(`text=${channel.owner.username} is offline`);
  });

  it("waits with a button where it isn't to begin by itself", async () => {
    let requests = { playback: 0 };
    await open("&autoplay=false", async () => {
      requests = await withoutPieces();
    });
    await player.waitForSelector("text=LIVE");
    expect(await player.$("text=The stream is starting")).equal(null);
    expect(requests.playback).equal(0);
    await player.click("button.card");
    await eventually(() => requests.playback > 0, PATIENT);
  });

  it("stays paused when its pictures fail and come back", async () => {
    let requests = { manifest: 0 };
    await open("", async () => {
      requests = await withoutPieces();
    });
    await eventually(() => requests.manifest > 0, PATIENT);
    await eventually(async () => !(await player.evaluate(isPaused)), PATIENT);
    await player.press("[aria-label=Unmute]", "k");
    const before = requests.manifest;
    await eventually(() => requests.manifest > before + 1, PATIENT);
    expect(await player.evaluate(isPaused)).equal(true);
  });

  it("reports once that somebody watches, however often the picture stalls", async () => {
    let requests = { heartbeats: 0 };
    await open("&autoplay=false", async () => {
      requests = await withoutPieces();
    });
    await player.waitForSelector("text=LIVE");
    await player.evaluate(playNothing);
    for (let n = 0; n < 5; n++) await player.evaluate(fire, "playing");
    await player.evaluate(fire, "pause");
    await eventually(() => requests.heartbeats > 0, PATIENT);
    expect(requests.heartbeats).equal(1);
  });

  it("sends two heartbeats in each minute for which one counts, so that its viewer stays counted", async () => {
    let requests = { heartbeats: 0 };
    await open("&autoplay=false", async () => {
      requests = await withoutPieces();
      await page.clock.install();
    });
    await player.waitForSelector("text=LIVE");
    await player.evaluate(playNothing);
    await player.evaluate(fire, "playing");
    await eventually(() => requests.heartbeats === 1, PATIENT);
    await page.clock.runFor(PRESENCE_WINDOW_MS - 1);
    await eventually(() => requests.heartbeats >= 3, PATIENT);
  });

  it("renews its address by the service's clock where the browser's is wrong", async () => {
    let requests = { playback: 0 };
    await open("", async () => {
      requests = await withoutPieces();
      await page.route("**/pictures/**", () => undefined);
      await page.clock.install({ time: Date.now() + 3_600_000 });
    });
    await eventually(() => requests.playback === 1, PATIENT);
    // By the browser's it has expired already, and would be renewed after half a minute.
    await page.clock.runFor(32_000);
    expect(requests.playback).equal(1);
  });

  it("looks for the names of qualities a few times, where they may never be reported", async () => {
    let requests = { playback: 0 };
    await open("", async () => {
      requests = await withoutPieces(undefined, false);
      await page.route("**/pictures/**", () => undefined);
      await page.clock.install();
    });
    for (let n = 1; n <= 7; n++) {
      await eventually(() => requests.playback === n, PATIENT);
      await page.clock.runFor(5_100);
    }
    expect(requests.playback).equal(7);
  });

  it("asks for no address any more when the broadcast ends while it asks", async () => {
    let requests = { playback: 0 };
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await open("", async () => {
      requests = await withoutPieces(() => held);
      await page.clock.install();
    });
    await eventually(() => requests.playback === 1, PATIENT);
    const offline = { type: "stream.offline", channel: `viewers:${channel.stream.id}`, data: {} };
    send(JSON.stringify([offline]));
    await player.waitForSelector("text=is offline");
    const answered = page.waitForResponse("**/playback?*");
    answer();
    await (await answered).finished();
    await player.evaluate(isPaused);
    await page.clock.runFor(300_000);
    expect(requests.playback).equal(1);
  });

  it("waits for its picture in words when it stalls, and doesn't call it live then", async () => {
    await open("", async () => {
      await withoutPieces();
      // Neither come nor fail.
      await page.route("**/pictures/**", () => undefined);
    });
    await player.waitForSelector("text=The stream is starting");
    await player.evaluate(fire, "playing");
    await player.waitForSelector("text=LIVE");
    await player.evaluate(fire, "waiting");
    await player.waitForSelector("text=Buffering");
    expect(await player.$("text=LIVE")).equal(null);
    await player.evaluate(fire, "playing");
    await player.waitForSelector("text=Buffering", { state: "detached" });
    await player.waitForSelector("text=LIVE");
  });

  it("says of a broadcast that it has shown that it can't be played, and not that it starts", async () => {
    let requests = { playback: 0 };
    await open("", async () => {
      requests = await withoutPieces();
    });
    await player.waitForSelector("text=The stream is starting");
    await player.evaluate(fire, "playing");
    const before = requests.playback;
    await eventually(() => requests.playback > before + 1, PATIENT);
    expect(await player.textContent("[role=status]")).equal(
      "The video can't be played right now. Trying again …",
    );
  });

  it("says at once that the network is lost, and goes on as soon as it is back", async () => {
    let requests = { playback: 0 };
    await open("", async () => {
      requests = await withoutPieces();
    });
    await player.waitForSelector("text=The stream is starting");
    await page.context().setOffline(true);
    try {
      await player.waitForSelector("text=The connection was lost. Reconnecting", { timeout: 3_000 });
      expect(await player.$("text=LIVE")).equal(null);
    } finally {
      await page.context().setOffline(false);
    }
    const before = requests.playback;
    await player.waitForSelector("text=The connection was lost", { state: "detached" });
    await eventually(() => requests.playback > before, PATIENT);
  });

  it("gets louder from silence by steps, and unmutes with the last volume above 0", async () => {
    await open("&autoplay=false", withoutPieces);
    await player.waitForSelector("text=LIVE");
    const sounds = (...sound: [isMuted: boolean, volume: number]) =>
      eventually(async () => expect(await player.evaluate(soundOf)).deep.equal(sound), PATIENT);
    await sounds(true, 1);
    await player.press("[aria-label='Full screen']", "ArrowUp");
    await sounds(false, 0.1);
    await player.press("[aria-label='Full screen']", "ArrowUp");
    await sounds(false, 0.2);
    await player.evaluate(louderThenSilent);
    await sounds(true, 0);
    await player.click("[aria-label=Unmute]");
    await sounds(false, 0.3);
  });

  it("has its controls in one row at a phone's width", async () => {
    await open("", async () => {
      await withoutPieces();
      await page.route("**/pictures/**/index.m3u8", (route) => route.fulfill({ body: MASTER + HIGH }));
      await page.$eval("iframe", (frame) => frame.setAttribute("width", "360"));
    });
    await player.waitForSelector("select", { state: "attached", timeout: PATIENT.withinMs });
    expect(await player.$$eval(".controls > *", rowsOf)).equal(1);
    expect(await player.evaluate(overhang)).deep.equal([]);
  });
});
