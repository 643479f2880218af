import { expect } from "chai";
import { BROADCAST_GRACE_MS } from "../../../actors/live/live-stream/machine.ts";
import { newId } from "../../../base/ids.ts";
import { givenBilling } from "../../support/billing.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { secondOf } from "../in-page.mjs";
import { signIn } from "../signed-in.ts";
import { faultsInPseudo, faultsOf } from "./open-console.ts";
import { setUpPage } from "./set-up-page.ts";

const SOON = { withinMs: 10_000, everyMs: 20 };

describe("markers in the console", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  const opened = setUpPage(browser);
  let channel: Channel;

  beforeEach(async () => {
    channel = await given.liveChannel();
    await signIn(browser.context, world.baseUrl, channel.owner);
  });

  async function open() {
    const page = opened.page();
    await page.goto(`${world.baseUrl}/console`);
    await page.waitForSelector("text=No moments are marked yet.");
    return page;
  }

  it("come with a press, also from a moderator elsewhere, and go again", async () => {
    const page = await open();
    const rows = page.locator(".panel:has-text('Markers') .rows li");
    world.clock.move(65_000);
    await page.fill("[name=marker]", "The boss <b>falls</b>");
    await page.keyboard.press("Enter");
    await eventually(async () => expect(await rows.count()).equal(1), SOON);
    expect(await rows.first().textContent()).match(/^1:0\d The boss <b>falls<\/b>/);
    expect(await page.inputValue("[name=marker]")).equal("");
    const moderator = await given.moderatorOf(channel);
    await moderator.api.ok("createMarker", { params: channel.at, body: {} });
    await eventually(async () => expect(await rows.count()).equal(2), SOON);
    await page.focus("[aria-label^='Delete the marker at 1:0']");
    await page.keyboard.press("Enter");
    await eventually(async () => {
      const { items } = await channel.owner.api.ok("listMarkers", { params: channel.at });
      expect(items.map(({ description }) => description)).deep.equal([null]);
      expect(await rows.count()).equal(1);
    }, SOON);
    await page.waitForSelector(".panel:has-text('Markers') .rows li:focus");
    expect([...(await faultsOf(page)), ...(await faultsInPseudo(page))]).deep.equal([]);
  });

  it("are made by moderators on their desk while the channel is live", async () => {
    const page = opened.page();
    const moderator = await given.moderatorOf(channel);
    await signIn(browser.context, world.baseUrl, moderator);
    await page.goto(`${world.baseUrl}/console/${channel.owner.username}/moderation`);
    await page.fill("[name=marker]", "Look at this");
    await page.keyboard.press("Enter");
    await page.waitForSelector(
      `.markers .rows li:has-text("Look at this"):has-text("${moderator.username}")`,
    );
    const { items } = await channel.owner.api.ok("listMarkers", { params: channel.at });
    expect(items.map(({ created_by }) => created_by.id)).deep.equal([moderator.id]);
    expect([...(await faultsOf(page)), ...(await faultsInPseudo(page))]).deep.equal([]);
    await given.hook("publish_done", { key: channel.stream.stream_key });
    world.clock.move(BROADCAST_GRACE_MS);
    await page.waitForSelector(".markers", { state: "detached" });
    await given.goLive(channel);
    await page.waitForSelector(".markers [name=marker]");
  });

  it("lead the creator to their moments in the video", async () => {
    const began = new Date(world.clock.now()).toISOString();
    world.clock.move(20_000);
    await channel.owner.api.ok("createMarker", { params: channel.at, body: { description: "Here" } });
    world.clock.move(60_000);
    const id = newId();
    const data = { ...channel.at, media_recording_id: id, duration_seconds: 60, started_at: began };
    await givenBilling(world).send({ type: "recording.ready", data }, {}, "mediaHook");
    const { username } = channel.owner;
    const [video] = (await channel.owner.api.ok("listVideos", { params: { username } })).items;
    const page = opened.page();
    // Also those who press before the video has come.
    let play = (): void => undefined;
    const pressed = new Promise<void>((done) => {
      play = done;
    });
    await page.route("**/playback", async (route) => {
      await pressed;
      const manifest_url = `${world.baseUrl}/nothing/index.m3u8`;
      const expires_at = new Date(Date.now() + 600_000).toISOString();
      await route.fulfill({ json: { manifest_url, expires_at, qualities: [] } });
    });
    await page.goto(`${world.baseUrl}/videos/${video?.id}`);
    await page.click("text=/0:20 ?Here/");
    const came = page.waitForRequest(/index\.m3u8/);
    play();
    await came;
    await eventually(async () => expect(await page.evaluate(secondOf)).within(20, 22), SOON);
  });
});
