// @waits: for a browser to load pages.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { signIn } from "./signed-in.ts";

const SCRIPT = "**/assets/site-categories-*.js";
const PAGE = "main h1:text-is('Categories')";
const TRY_AGAIN = "main [role=alert] button:text-is('Try again')";

describe("a script of the site that doesn't come", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let page: Page;
  let documents: number;
  const complaints: string[] = [];

  beforeEach(async () => {
    page = await browser.context.newPage();
    documents = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) documents++;
    });
    page.on("pageerror", (err) => complaints.push(err.message));
  });
  afterEach(async () => {
    await browser.context.setOffline(false);
    await page?.close();
    complaints.length = 0;
  });

  /** As after an upgrade, for pages of the release before; the page that is loaded next is of the new one. */
  const upgraded = () =>
    page.route(SCRIPT, (route) => (documents < 2 ? route.fulfill({ status: 404 }) : route.fallback()));

  it("is that of another release: a link loads its page anew, once", async () => {
    await upgraded();
    await page.goto(world.baseUrl);
    await page.click(".top-bar a.browse");
    await page.waitForSelector(PAGE);
    expect(documents).equal(2);
    expect(complaints).deep.equal([]);
  });

  it("is that of another release, and so is the style sheet: the page is loaded anew, once", async () => {
    await page.route("**/assets/style-*.css", (route) =>
      documents < 2 ? route.fulfill({ status: 404 }) : route.fallback(),
    );
    await page.goto(`${world.baseUrl}/categories`);
    await eventually(() => expect(documents).equal(2));
    await page.waitForSelector(PAGE);
    await page.waitForLoadState("networkidle");
    expect(documents).equal(2);
  });

  it("is gone for good: the page says so, and shows what it should once the script is there", async () => {
    await page.route(SCRIPT, (route) => route.fulfill({ status: 404 }));
    await page.goto(`${world.baseUrl}/categories`);
    await eventually(() => expect(documents).equal(2));
    await page.waitForSelector(TRY_AGAIN);
    await page.unroute(SCRIPT);
    await page.click(TRY_AGAIN);
    await page.waitForSelector(PAGE);
  });

  it("needs the network: a link says so, and shows its page when the network is back", async () => {
    await page.goto(world.baseUrl);
    await page.waitForSelector("#main :is(h1, h2)", { state: "attached" });
    await browser.context.setOffline(true);
    await page.click(".top-bar a.browse");
    await page.waitForSelector(TRY_AGAIN);
    await browser.context.setOffline(false);
    await page.waitForSelector(PAGE);
    expect(documents).equal(1);
    expect(complaints).deep.equal([]);
  });

  it("is that of the bell's panel: it says so there, and shows the list when the network is back", async () => {
    await signIn(browser.context, world.baseUrl, await given.user());
    await page.goto(world.baseUrl);
    await page.waitForSelector(".menu.wide .opener");
    await browser.context.setOffline(true);
    await page.click(".menu.wide .opener");
    await page.waitForSelector(".menu.wide [role=alert]");
    await browser.context.setOffline(false);
    await page.waitForSelector(".menu.wide .notifications");
    expect(documents).equal(1);
    expect(complaints).deep.equal([]);
  });
});
