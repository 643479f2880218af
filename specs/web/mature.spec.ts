// @waits: for a browser.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { newId } from "../../base/ids.ts";
import { givenBilling } from "../support/billing.ts";
import { setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { signIn } from "./signed-in.ts";

const WARNING = ".gate:has-text('This channel is for mature audiences')";
/** What plays, and what opens a preview of it. */
const PLAYING = "video, .player, .recording, button:text-is('Clip')";

describe("warnings before what is for mature audiences", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  let page: Page;
  let pages: { live: string; video: string; clip: string };
  let harmless: string;

  before(async () => {
    const channel = await given.liveChannel();
    const { username } = channel.owner;
    world.clock.move(60_000);
    const viewer = await given.user();
    const makeClip = async () => {
      const body = { ...channel.at, title: "A clip", start_time: 1, end_time: 11 };
      const { id } = await viewer.api.ok("createClip", { body });
      const ready = { clip_id: id, video_path: "clip.mp4" };
      await givenBilling(world).send({ type: "clip.ready", data: ready }, {}, "mediaHook");
      return `/clips/${id}`;
    };
    harmless = await makeClip();
    await channel.owner.api.ok("updateMyStream", { body: { is_mature: true } });
    const clip = await makeClip();
    const started_at = new Date(world.clock.now() - 50_000).toISOString();
    const data = { ...channel.at, media_recording_id: newId(), duration_seconds: 50, started_at };
    await givenBilling(world).send({ type: "recording.ready", data }, {}, "mediaHook");
    const [video] = (await viewer.api.ok("listVideos", { params: { username } })).items;
    pages = { live: `/${username}`, video: `/videos/${video?.id}`, clip };
    await signIn(browser.context, world.baseUrl, viewer);
  });
  beforeEach(async () => {
    page = await browser.context.newPage();
    await page.goto(world.baseUrl);
    await page.evaluate("localStorage.clear()");
  });
  afterEach(() => page?.close());

  for (const kind of ["live", "video", "clip"] as const) {
    it(`A ${kind} page of a mature channel warns before anything plays, and remembers the answer`, async () => {
      const played: string[] = [];
      page.on("request", (request) => {
        if (/\/playback$|\.m3u8|\.mp4/.test(request.url())) played.push(request.url());
      });
      await page.goto(world.baseUrl + pages[kind]);
      await page.waitForSelector(WARNING);
      await page.waitForSelector("main h1");
      await page.waitForLoadState("networkidle");
      expect(await page.locator(PLAYING).count()).equal(0);
      expect(played).deep.equal([]);

      await page.click(".gate button:text-is('Watch anyway')");
      await page.waitForSelector(PLAYING, { state: "attached" });
      expect(await page.locator(WARNING).count()).equal(0);
      for (const path of Object.values(pages)) {
        await page.goto(world.baseUrl + path);
        await page.waitForSelector(PLAYING, { state: "attached" });
        expect(await page.locator(WARNING).count(), path).equal(0);
      }
    });
  }

  it("A clip that was made before the channel was for mature audiences plays without a warning", async () => {
    await page.goto(world.baseUrl + harmless);
    await page.waitForSelector(".clip-page video", { state: "attached" });
    expect(await page.locator(WARNING).count()).equal(0);
  });

  it("Cards of mature videos and clips say so", async () => {
    await page.goto(`${world.baseUrl}/search?q=clip`);
    await page.waitForSelector(`.stream-card a[href="${pages.clip}"] .badge:text-is('18+')`);
    expect(await page.locator(`a[href="${harmless}"] .badge:text-is('18+')`).count()).equal(0);
  });
});
