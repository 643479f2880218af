// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { newId } from "../../base/ids.ts";
import { givenBilling } from "../support/billing.ts";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { openOwnStores } from "../support/own-stores.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang, playAt } from "./in-page.mjs";
import { signIn } from "./signed-in.ts";
import { serveClip } from "./test-card.ts";

const PASSWORD = "a long phrase for specs";
const TITLE = `<b>Parsers</b> ${"x".repeat(70)}`;

describe("recordings and clips in a browser", function () {
  this.timeout(120_000);
  const browser = setUpChromium();
  const clock = movableClock();
  const { world, given } = setUpWorld({ stores: openOwnStores, clock });
  let page: Page;
  let channel: Channel;
  let viewer: Person;
  let videoId: string;
  let clipId: string;
  const complaints: string[] = [];

  before(async () => {
    channel = await given.liveChannel();
    await channel.owner.api.ok("updateMyStream", { body: { name: TITLE } });
    viewer = await given.user();
    const began = clock.now();
    for (const [second, content] of [
      [5, "the first line"],
      [20, "<i>the second</i>"],
      [400, "much later"],
    ] as const) {
      clock.move(began + second * 1_000 - clock.now());
      await viewer.api.ok("sendChatMessage", { params: channel.at, body: { content } });
    }
    const clip = await viewer.api.ok("createClip", {
      body: { stream_id: channel.stream.id, title: TITLE, start_time: 1, end_time: 11 },
    });
    clipId = clip.id;
    const data = {
      ...channel.at,
      media_recording_id: newId(),
      duration_seconds: 500,
      started_at: new Date(began).toISOString(),
    };
    await givenBilling(world).send({ type: "recording.ready", data }, {}, "mediaHook");
    const { items } = await viewer.api.ok("listVideos", { params: { username: channel.owner.username } });
    videoId = items[0]?.id ?? "";
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  after(() => page?.close());
  afterEach(() => expect(complaints.splice(0)).deep.equal([]));

  const open = async (path: string) => {
    await page.goto("about:blank");
    await page.goto(world.baseUrl + path);
    await page.waitForSelector("h1");
  };
  const said = () => page.$$eval(".replay .text", (lines) => lines.map(({ textContent }) => textContent));
  const showSecond = async (second: number, lines: string[]) => {
    await page.evaluate(playAt, second);
    await eventually(async () => expect(await said()).deep.equal(lines));
  };

  it("shows beside a video what was said until the second that it shows", async () => {
    await open(`/videos/${videoId}`);
    expect(await page.textContent("h1")).equal(TITLE);
    await showSecond(10, ["the first line"]);
    await showSecond(19, ["the first line"]);
    await showSecond(21, ["the first line", "<i>the second</i>"]);
    await showSecond(300, []);
    await showSecond(401, ["much later"]);
    await showSecond(6, ["the first line"]);
  });

  it("says that a video can't be played, and tries again at a press", async () => {
    await open(`/videos/${videoId}`);
    let asked = 0;
    await page.waitForSelector("text=The video can't be played right now.", { timeout: 60_000 });
    page.on("request", (request) => {
      if (request.url().endsWith("/playback")) asked++;
    });
    await page.click(".recording .over button");
    await eventually(() => expect(asked).equal(1));
  });

  it("shows a clip that is still being cut, and lets users like it", async () => {
    await open("/sign-in");
    await page.fill("[name=login]", viewer.username);
    await page.fill("[name=password]", PASSWORD);
    await page.click(".form button >> text=Log in");
    await page.waitForSelector("[aria-label=Account]");
    await open(`/clips/${clipId}`);
    await eventually(async () => expect(await page.textContent("h1")).equal(TITLE));
    await page.waitForSelector("text=This clip is being created.");
    await page.click("text=Like >> visible=true");
    await page.waitForSelector("text=1 like");
    await browser.context.clearCookies();
  });

  it("finds a clip by its title, once it is ready", async () => {
    const data = { clip_id: clipId, video_path: "clip.mp4" };
    await givenBilling(world).send({ type: "clip.ready", data }, {}, "mediaHook");
    await open("/search?q=parsers");
    await page.waitForSelector(`section[aria-label=Clips] a[href="/clips/${clipId}"]`);
  });

  it("plays a clip with the player's controls and keys, beside a link to the channel that is live", async () => {
    await serveClip(page);
    await open(`/clips/${clipId}`);
    expect(await page.locator("video[controls]").count()).equal(0);
    // It begins by a press, which browsers allow with sound.
    await page.waitForSelector(".player [aria-label=Mute]");
    await page.waitForSelector(".player .clock:text-is('0:00 / 0:02')");
    await page.click(".player [aria-label=Play]");
    await page.waitForSelector(".player [aria-label=Pause]");
    await page.keyboard.press("k");
    await page.waitForSelector(".player [aria-label=Play]");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector(".player .clock:text-is('0:02 / 0:02')");
    await page.keyboard.press("m");
    await page.waitForSelector(".player [aria-label=Unmute]");
    await open(`/clips/${clipId}`);
    await page.waitForSelector(".player [aria-label=Unmute]");
    await page.waitForSelector(`.acts a[href="/${channel.owner.username}"]:text-is("Watch live")`);
  });

  it("says that a clip doesn't come, and asks for it again at a press", async () => {
    const sources = "**/*.mp4*";
    await page.route(sources, (route) => route.abort());
    await open(`/clips/${clipId}`);
    await page.waitForSelector('.stage [role=alert]:has-text("can\'t be played")');
    await page.unroute(sources);
    await page.click(".stage [role=alert] button");
    await page.waitForSelector(".stage [role=alert]", { state: "detached" });
  });

  it("takes reports of clips, and of channels for a video, whose maker doesn't report their own", async () => {
    const reporter = await given.user();
    const report = async (path: string) => {
      await signIn(browser.context, world.baseUrl, reporter);
      await open(path);
      await page.click("main button >> text=Report");
      await page.click("text=Hate");
      await page.click("text=Send report");
      await page.waitForSelector(".dialog", { state: "detached" });
    };
    await report(`/clips/${clipId}`);
    expect(await page.textContent(".clip-page .quiet a")).equal(viewer.username);
    await report(`/videos/${videoId}`);
    const { items } = await reporter.api.ok("listMyReports");
    expect(items.map(({ target_id, details }) => [target_id, details])).deep.equal([
      [channel.stream.id, `About the video “${TITLE}”: https://livecore.example/videos/${videoId}`],
      [clipId, null],
    ]);
    await signIn(browser.context, world.baseUrl, viewer);
    await open(`/clips/${clipId}`);
    await page.waitForSelector("button >> text=Edit");
    expect(await page.locator("main button >> text=Report").count()).equal(0);
    await browser.context.clearCookies();
  });

  it("lists a channel's past broadcasts and schedule on its page", async () => {
    const planned = new Date(clock.now() + 86_400_000).toISOString();
    await channel.owner.api.ok("createScheduleEntry", {
      body: { title: "Tomorrow's parser", starts_at: planned },
    });
    await open(`/${channel.owner.username}`);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.mouse.move(200, 700);
    await eventually(async () => {
      await page.mouse.wheel(0, 500);
      expect(asked.some((path) => path.endsWith("/clips"))).equal(true);
    });
    await page.waitForSelector(`.stream-card a[href="/videos/${videoId}"]`, { state: "attached" });
    expect(await page.textContent(".planned")).include("Tomorrow's parser");
    expect(await page.getAttribute(".channel-section header a", "href")).match(/schedule\.ics$/);
  });

  it("passes axe, and is no wider than a phone", async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    for (const path of [`/videos/${videoId}`, `/clips/${clipId}`]) {
      await open(path);
      await page.evaluate(axe.source);
      expect(await page.evaluate(axeFaults), path).deep.equal([]);
      expect(await page.evaluate(overhang), path).deep.equal([]);
    }
  });
});
