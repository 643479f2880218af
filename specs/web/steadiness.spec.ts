// @waits: for a browser to lay pages out.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { countShifts, shiftOf } from "./in-page.mjs";
import { signIn } from "./signed-in.ts";

/** Cumulative layout shift that browsers' makers call good. */
const GOOD = 0.1;
/** Of each answer of the service, so that each state of a page is painted. */
const DELAY_MS = 300;

describe("the steadiness of pages while they are loaded", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const paths: Record<string, string> = { home: "/", categories: "/categories" };
  let page: Page;

  before(async () => {
    const [live, reader] = [await given.liveChannel(), await given.user()];
    await reader.api.ok("followUser", { params: { user_id: live.owner.id } });
    paths.channel = `/${live.owner.username}`;
    await eventually(async () => expect((await world.api.ok("getHome")).recommended).not.empty);
    await signIn(browser.context, world.baseUrl, reader);
    page = await browser.context.newPage();
    await page.addInitScript(countShifts);
    await page.route("**/v1/**", async (route) => {
      await new Promise((passed) => setTimeout(passed, DELAY_MS));
      await route.continue();
    });
  });
  after(() => page?.close());

  for (const reader of ["a reader with an account", "a stranger"])
    for (const name of ["home", "channel", "categories"])
      for (const width of [1_280, 360])
        it(`keeps the page of ${name} in its place for ${reader}, ${width} px wide`, async () => {
          if (reader === "a stranger") await browser.context.clearCookies();
          await page.setViewportSize({ width, height: 800 });
          await page.goto(world.baseUrl + (paths[name] ?? ""));
          await page.waitForSelector("#main :is(h1, h2)", { state: "attached" });
          await page.waitForLoadState("networkidle");
          const { sum, moved } = await page.evaluate(shiftOf);
          expect(sum, moved.join(", ")).most(GOOD);
        });
});
