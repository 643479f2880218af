// @waits: for a browser to load pages.
import { framed, setUpChromium } from "../support/chromium.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";

const AHEAD_MS = 11 * 60_000;
/** Runs in each page before its scripts. */
const ahead = `{
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...parts) { super(...(parts.length ? parts : [Real.now() + ${AHEAD_MS}])); }
    static now() { return Real.now() + ${AHEAD_MS}; }
  };
}`;

describe("times of the service on a device whose clock is 11 minutes ahead", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;

  before(() => browser.context.addInitScript(ahead));
  beforeEach(async () => {
    channel = await given.liveChannel();
    const body = { question: "Which?", options: ["This", "That"], duration_sec: 300 };
    await channel.owner.api.ok("createPoll", { params: channel.at, body });
  });

  it("A channel's page counts them down by the service's clock, and the time on air up", async () => {
    const body = { title: "Will it?", outcomes: [{ title: "Yes" }, { title: "No" }], duration_seconds: 600 };
    await channel.owner.api.ok("createPrediction", { params: channel.at, body });
    const page = await browser.context.newPage();
    await page.goto(`${world.baseUrl}/${channel.owner.username}`);
    await page.waitForSelector("text=/Closes in 9:\\d\\d/");
    await page.waitForSelector("text=/Ends in 4:\\d\\d/");
    await page.waitForSelector("text=/Live for 0:\\d\\d/");
    await page.close();
  });

  it("An embedded chat counts a poll down by the service's clock", async () => {
    const { page } = await browser.foreignPage(
      (host) =>
        `<iframe src="${world.baseUrl}/embed/chat/${channel.owner.username}?parent=${host}" width=340 height=500></iframe>`,
    );
    const chat = await framed(page);
    await chat.waitForSelector("text=/Ends in 4:\\d\\d/");
    await page.close();
  });
});
