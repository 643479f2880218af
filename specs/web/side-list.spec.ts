// @waits: for a browser to lay pages out.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { signIn } from "./signed-in.ts";

describe("the side list of followed channels", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let page: Page;

  beforeEach(async () => {
    page = await browser.context.newPage();
  });
  afterEach(() => page.close());

  /** The name of each channel, and what stands beside it. */
  const entries = async () => {
    const [names, beside] = await Promise.all([
      page.locator(".side-list bdi").allTextContents(),
      page.locator(".side-list li a > :last-child").allTextContents(),
    ]);
    return names.map((name, n) => [name, beside[n]]);
  };

  it("shows live channels first with their viewers, and then offline ones", async () => {
    const reader = await given.user();
    const live = await given.liveChannel();
    // The newer follow, so that nothing but the broadcast puts the other one before it.
    const offline = await given.channel();
    for (const { owner } of [live, offline])
      await reader.api.ok("followUser", { params: { user_id: owner.id } });
    for (const device_id of ["tv", "phone", "watch"])
      await world.api.ok("heartbeat", { body: { ...live.at, device_id } });
    await signIn(browser.context, world.baseUrl, reader);
    await eventually(async () => {
      await page.goto(`${world.baseUrl}/categories`);
      await page.waitForSelector(".side-list li");
      expect(await entries()).deep.equal([
        [live.owner.username, "LIVE, 3 viewers3"],
        [offline.owner.username, "Offline"],
      ]);
    });
  });

  it("shows of the open channel what its page knows, which is newer than the list", async () => {
    const reader = await given.user();
    const { owner, at } = await given.liveChannel();
    await reader.api.ok("followUser", { params: { user_id: owner.id } });
    const watch = (device_id: string) => world.api.ok("heartbeat", { body: { ...at, device_id } });
    await signIn(browser.context, world.baseUrl, reader);
    await page.goto(`${world.baseUrl}/${owner.username}`);
    await page.waitForSelector(".side-list li a[data-live=true]");
    for (const device of ["tv", "phone", "watch"]) await watch(device);
    await eventually(
      async () => {
        const said = /(\d+) viewers/.exec((await page.textContent(".channel-header .live")) ?? "")?.[1];
        expect(said).match(/[3-9]/);
        expect(await entries()).deep.equal([[owner.username, `LIVE, ${said} viewers${said}`]]);
      },
      { withinMs: 20_000, everyMs: 50 },
    );
  });
});
