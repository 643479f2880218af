// @waits: for a browser to load pages.
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { BROADCAST_GRACE_MS } from "../../actors/live/live-stream/machine.ts";
import { readWebFiles } from "../../api/discovery/web-files.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";

const SOON = { withinMs: 5_000, everyMs: 20 };

describe("scripts of the player on a channel's page", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  /** hls.js among them. */
  const playing = new Set<string>();
  let channel: Channel;
  let page: Page;
  let loaded: string[];

  before(() => {
    const { site } = readWebFiles(join(projectRoot, "web/dist"));
    const ofPage = new Set(site.scriptsOf("src/channels/channel.tsx").map(({ file }) => file));
    for (const { file } of site.scriptsOf("src/live/player/site-player.tsx"))
      if (!ofPage.has(file)) playing.add(file);
  });
  beforeEach(async () => {
    channel = await given.channel();
    page = await browser.context.newPage();
    loaded = [];
    page.on("request", (request) => {
      const file = new URL(request.url()).pathname.replace(/^.*\/assets\//, "");
      if (playing.has(file)) loaded.push(file);
    });
  });
  afterEach(() => page.close());

  const open = () => page.goto(`${world.baseUrl}/${channel.owner.username}`);
  const says = (text: string) => page.waitForSelector(`.player .card:has-text("${text}")`);

  it("An offline channel's page loads them, with hls.js, only when it goes live", async () => {
    await open();
    await says(`${channel.owner.username} is offline`);
    await page.waitForSelector("text=No messages yet.");
    expect(playing.size).least(2);
    expect(loaded).deep.equal([]);

    await given.goLive(channel);

    await page.waitForSelector(".player video");
    await page.waitForSelector(".channel-header .live");
    await eventually(() => expect(loaded).members([...playing]), SOON);
  });

  it("A live channel's page loads them at once, and goes on with its player after the broadcast", async () => {
    await given.goLive(channel);
    await open();
    await page.waitForSelector(".player .controls");
    expect(loaded).members([...playing]);

    await given.hook("publish_done", { key: channel.stream.stream_key });
    clock.move(BROADCAST_GRACE_MS);

    await says(`${channel.owner.username} is offline`);
    await page.waitForSelector(".channel-header .live", { state: "detached" });
  });
});
