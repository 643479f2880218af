import { expect } from "chai";
import type { Page } from "playwright-core";
import { PLAIN_PAGES } from "../../../web/src/pages/pages.ts";
import { keepComplaints, setUpChromium } from "../../support/chromium.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { faultsOfEachPage } from "../each-page.ts";
import { signIn } from "../signed-in.ts";

const PATHS = Object.keys(PLAIN_PAGES).filter((path) => /^\/console\b[^:]*$/.test(path));
/** Wider than the service's own title, and unlike a text of ours. */
const HOSTILE = "<b>bold</b> & שלום ".repeat(2).trim();

describe("pages of the console", function () {
  this.timeout(120_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let page: Page;
  const complaints: string[] = [];

  beforeEach(async () => {
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  it("show strangers the way to log in, which leads back", async () => {
    for (const path of PATHS) {
      await page.goto(world.baseUrl + path);
      await page.click("main a:text('Log in')");
      await page.waitForURL(`${world.baseUrl}/sign-in?next=${encodeURIComponent(path)}`);
    }
  });

  it("pass axe in light and dark, on a phone and on a desktop, and are no wider than the window", async () => {
    const channel = await given.channel();
    const { api } = channel.owner;
    await api.ok("updateMyStream", { body: { name: HOSTILE } });
    const reward = await api.ok("createReward", {
      body: { title: HOSTILE, description: HOSTILE, cost: 100, requires_input: true, cooldown_seconds: 1 },
    });
    const ada = await given.followerOf(channel);
    await ada.api.ok("redeemReward", { params: { reward_id: reward.id }, body: { user_input: HOSTILE } });
    await signIn(browser.context, world.baseUrl, channel.owner);
    const addresses = PATHS.map((path) => world.baseUrl + path);
    const found = await faultsOfEachPage(page, { addresses, shown: "main h1" });
    expect(found).deep.equal([]);
  });
});
