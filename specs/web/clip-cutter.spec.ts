// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { newId } from "../../base/ids.ts";
import { givenBilling } from "../support/billing.ts";
import { setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, copiedText, overhang, playAt } from "./in-page.mjs";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";
import { livePlaylist, serveTestCard } from "./test-card.ts";

const SOON = { withinMs: 10_000, everyMs: 50 };
const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1_280, height: 800 };
const TITLE = "One evening live";

describe("making clips in a browser", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  let channel: Channel;
  let ada: Person;
  let page: Page;
  /** When the broadcast began, Unix ms. */
  let began: number;

  before(async () => {
    await servePublicFiles(browser.context, world.baseUrl);
    // A hundred seconds of the broadcast are there, of which the last 96 can be seen.
    await serveTestCard(browser.context, () => livePlaylist({ count: 48, endsAt: began + 100_000 }));
    await browser.context.route("**/playback?*", (route) =>
      route.fulfill({
        json: {
          stream_id: channel.stream.id,
          protocol: "hls",
          live_since: new Date(began).toISOString(),
          manifest_url: `${world.baseUrl}/pictures/x/index.m3u8`,
          qualities: [],
          expires_at: new Date(Date.now() + 300_000).toISOString(),
        },
      }),
    );
  });
  beforeEach(async () => {
    channel = await given.liveChannel();
    await channel.owner.api.ok("updateMyStream", { body: { name: TITLE } });
    const { broadcast } = await world.api.ok("getChannel", { params: { username: channel.owner.username } });
    began = Date.parse(broadcast?.started_at ?? "");
    world.clock.move(100_000);
    ada = await given.user();
    page = await browser.context.newPage();
    await page.setViewportSize(DESKTOP);
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
  });

  async function open(reader: Person | null): Promise<void> {
    if (reader) await signIn(browser.context, world.baseUrl, reader);
    await page.goto(`${world.baseUrl}/${channel.owner.username}`);
    await page.waitForSelector(".player .controls", { state: "attached" });
  }
  async function openCutter(): Promise<void> {
    await open(ada);
    await page.keyboard.press("c");
    await page.waitForSelector(".cutter .length");
  }
  const range = () => page.textContent(".cutter .length");
  const create = () => page.click(".cutter >> text=Create clip");
  const made = async () => {
    const { items } = await ada.api.ok("listUserClips", { params: { username: channel.owner.username } });
    return items;
  };
  const report = async (type: "clip.ready" | "clip.failed", more = {}) => {
    const [clip] = await made();
    const data = { clip_id: clip?.id, ...more };
    await givenBilling(world).send({ type, data }, {}, "mediaHook");
    return clip?.id ?? "";
  };

  it("makes a clip of a range that is chosen by the keyboard, and shows and lists it once it is ready", async () => {
    await open(ada);
    await page.mouse.move(200, 700);
    await eventually(async () => {
      await page.mouse.wheel(0, 500);
      expect(await page.locator("text=There are no clips yet.").count()).equal(1);
    }, SOON);
    await page.keyboard.press("c");
    await page.waitForSelector(".cutter .length");
    expect(await range()).equal("1:10 to 1:40 · 30 seconds");
    await page.focus("[name=start]");
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press("ArrowLeft");
    await page.focus("[name=end]");
    for (let presses = 0; presses < 10; presses++) await page.keyboard.press("ArrowLeft");
    expect(await range()).equal("1:07 to 1:30 · 23 seconds");
    expect(await page.getAttribute("[name=end]", "aria-valuetext")).equal(
      "1:30, the clip is 23 seconds long",
    );
    expect(await page.inputValue(".cutter [name=title]")).equal(TITLE);
    await page.fill(".cutter [name=title]", "The <b>bug</b>");
    await create();
    await page.waitForSelector("text=Your clip is being created");
    const [clip] = await made();
    expect(clip).include({ title: "The <b>bug</b>", start_time: 67, end_time: 90, user_id: ada.id });
    const id = await report("clip.ready", { video_url: `${world.baseUrl}/pictures/clip.mp4` });
    await page.waitForSelector("text=Your clip is ready.", { timeout: SOON.withinMs });
    await page.waitForSelector(`.channel-section a[href="/clips/${id}"]`, { state: "attached" });
    await page.click("text=Open clip");
    await page.waitForSelector(".clip-page video");
    expect(new URL(page.url()).pathname).equal(`/clips/${id}`);
  });

  it("keeps a clip between 5 and 60 seconds, whichever end is moved", async () => {
    await openCutter();
    await page.focus("[name=start]");
    await page.keyboard.press("Home");
    expect(await range()).equal("0:10 to 1:10 · 1 minute");
    await page.keyboard.press("End");
    expect(await range()).equal("1:05 to 1:10 · 5 seconds");
    await page.focus("[name=end]");
    await page.keyboard.press("End");
    expect(await range()).equal("1:05 to 1:40 · 35 seconds");
  });

  it("plays what is chosen, without the sound of the player below it", async () => {
    await open(ada);
    const isMuted = () => page.evaluate("document.querySelector('.player video').muted");
    if (await isMuted()) await page.keyboard.press("m");
    await eventually(async () => expect(await isMuted()).equal(false), SOON);
    await page.keyboard.press("c");
    await page.waitForSelector(".cutter .length");
    const at = () => page.evaluate("document.querySelector('.cutter video').currentTime");
    // The preview begins four seconds after the broadcast.
    await eventually(async () => expect(await at()).within(66, 96), SOON);
    await eventually(() => page.evaluate("!document.querySelector('.cutter video').paused"), SOON);
    expect(await isMuted()).equal(true);
    await page.focus("[name=start]");
    await page.keyboard.press("Home");
    await eventually(async () => expect(await at()).within(6, 66), SOON);
    await page.click("[aria-label='Pause preview']");
    await page.waitForSelector("[aria-label='Play preview']");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".cutter", { state: "detached" });
    await eventually(async () => expect(await isMuted()).equal(false), SOON);
  });

  it("says that a clip couldn't be made, and lets its maker choose again", async () => {
    await openCutter();
    await create();
    await page.waitForSelector("text=Your clip is being created");
    await report("clip.failed");
    await page.waitForSelector("text=Your clip couldn't be created.", { timeout: SOON.withinMs });
    await page.click("text=Choose again");
    await page.waitForSelector(".cutter .length");
  });

  it("makes one clip when it is asked for again after a lost answer", async () => {
    await openCutter();
    let lost = 0;
    await page.route("**/v1/clips", async (route) => {
      await route.fetch();
      lost++;
      await route.abort();
    });
    await create();
    await page.waitForSelector('.cutter [role=alert]:has-text("We can\'t reach the server.")');
    expect(lost).least(1);
    await page.unroute("**/v1/clips");
    await create();
    await page.waitForSelector("text=Your clip is being created");
    expect(await made()).length(1);
  });

  it("says why a clip is refused, and keeps what was chosen", async () => {
    await openCutter();
    await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: ada.id } });
    await page.fill(".cutter [name=title]", "mine");
    await create();
    await page.waitForSelector(".cutter [role=alert]:has-text('banned')");
    expect(await page.inputValue(".cutter [name=title]")).equal("mine");
  });

  it("offers nothing to readers without an account", async () => {
    await open(null);
    await page.keyboard.press("c");
    expect(await page.locator(".controls [aria-label=Clip]").count()).equal(0);
  });

  it("clips a recording of the last broadcast around the second that is shown, even without a preview", async () => {
    const data = {
      ...channel.at,
      media_recording_id: newId(),
      duration_seconds: 90,
      started_at: new Date(began + 4_000).toISOString(),
    };
    await givenBilling(world).send({ type: "recording.ready", data }, {}, "mediaHook");
    const { items } = await ada.api.ok("listVideos", { params: { username: channel.owner.username } });
    await signIn(browser.context, world.baseUrl, ada);
    await page.goto(`${world.baseUrl}/videos/${items[0]?.id}`);
    await page.waitForSelector(".below >> text=Clip");
    await page.evaluate(playAt, 40);
    await page.click(".below >> text=Clip");
    await page.waitForSelector("text=There is no preview right now.");
    expect(await range()).equal("0:14 to 0:44 · 30 seconds");
    await create();
    await page.waitForSelector("text=Your clip is being created");
    expect((await made())[0]).include({ start_time: 14, end_time: 44 });
  });

  it("copies the address at which others know the clip", async () => {
    const { id } = await ada.api.ok("createClip", {
      body: { stream_id: channel.stream.id, title: "shared", start_time: 1, end_time: 11 },
    });
    await report("clip.ready", { video_url: `${world.baseUrl}/pictures/clip.mp4` });
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${world.baseUrl}/clips/${id}`);
    await page.click(".clip-page >> text=Copy link");
    await page.waitForSelector("text=Copied.");
    expect(await page.evaluate(copiedText)).equal(`https://livecore.example/clips/${id}`);
  });

  it("lets a clip's maker edit and delete it on its page, and nobody else", async () => {
    const { id } = await ada.api.ok("createClip", {
      body: { stream_id: channel.stream.id, title: "old", start_time: 1, end_time: 11 },
    });
    await report("clip.ready", { video_url: `${world.baseUrl}/pictures/clip.mp4` });
    const bob = await given.user();
    const openClip = async (reader: Person) => {
      // The page would be loaded again as that user's while another one is opened in it.
      await page.goto("about:blank");
      await signIn(browser.context, world.baseUrl, reader);
      await page.goto(`${world.baseUrl}/clips/${id}`);
      await page.waitForSelector(".clip-page >> text=Copy link");
    };
    await openClip(bob);
    expect(await page.locator(".clip-page >> text=Edit").count()).equal(0);
    await openClip(ada);
    await page.click(".clip-page >> text=Edit");
    await page.fill(".dialog [name=title]", "new");
    await page.check(".dialog [value=unlisted]");
    await page.click(".dialog >> text=Save");
    await eventually(async () => expect(await page.textContent("h1")).equal("new"), SOON);
    expect(await ada.api.ok("getClip", { params: { clip_id: id } })).include({
      title: "new",
      visibility: "unlisted",
    });
    await page.click(".clip-page >> text=Delete");
    await page.click(".dialog button.danger");
    await page.waitForSelector(".watch");
    expect((await ada.api.call("getClip", { params: { clip_id: id } })).code).equal("not_found");
  });

  it("passes axe and fits a phone, in light and dark", async () => {
    await page.setViewportSize(PHONE);
    await openCutter();
    await page.evaluate(axe.source);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
    }
  });
});
