// @waits: for a browser to lay pages out.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { signIn } from "./signed-in.ts";

/** Longer than the order of live streams stays as it is. */
const ORDER_MS = 31_000;

describe("the side list of followed channels", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  let page: Page;

  beforeEach(async () => {
    page = await browser.context.newPage();
  });
  afterEach(() => page.close());

  const watch = ({ at }: Channel, viewers: number) =>
    Promise.all(
      Array.from({ length: viewers }, (_, n) =>
        world.api.ok("heartbeat", { body: { ...at, device_id: `${at.stream_id}-${n}` } }),
      ),
    );
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
    const [few, many] = [await given.liveChannel(), await given.liveChannel()];
    // The newest follow, so that nothing but the broadcast puts the others before it.
    const offline = await given.channel();
    for (const { owner } of [many, few, offline])
      await reader.api.ok("followUser", { params: { user_id: owner.id } });
    await watch(few, 1);
    await watch(many, 3);
    world.clock.move(ORDER_MS);
    await signIn(browser.context, world.baseUrl, reader);
    await eventually(async () => {
      await page.goto(`${world.baseUrl}/categories`);
      await page.waitForSelector(".side-list li");
      expect(await entries()).deep.equal([
        [many.owner.username, "LIVE, 3 viewers3"],
        [few.owner.username, "LIVE, 1 viewer1"],
        [offline.owner.username, "Offline"],
      ]);
    });
  });
});
