// @waits: for a browser.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { rememberCheckout } from "./in-page.mjs";
import { signIn } from "./signed-in.ts";

const SUBMIT = "main form:has([name=bio]) [type=submit]";

describe("a tab of the site whose user changes elsewhere", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let ada: Person;
  let bob: Person;
  let page: Page;
  const complaints: string[] = [];

  beforeEach(async () => {
    [ada, bob] = [await given.user(), await given.user()];
    await signIn(browser.context, world.baseUrl, ada);
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  /** As by the return from an identity provider, or another program: no tab is told, and the session before isn't ended. */
  const bobSignsIn = () =>
    browser.context.request.post(`${world.baseUrl}/v1/auth/login`, {
      headers: { "X-Auth-Mode": "cookie", "X-Service-Client": "spec" },
      data: { login: bob.username, password: "a long phrase for specs" },
    });
  /** Once the call has returned, since it may load the page again. */
  const soon = (script: string) => page.evaluate(`void setTimeout(() => ${script})`);
  const open = (path: string) => page.goto(world.baseUrl + path);
  const shows = (of: Page, { username }: Person) =>
    eventually(async () => expect(await of.inputValue("[name=username_title]")).equal(username));
  /** Whatever it asks for would make it notice as well. */
  const isQuiet = () => page.waitForLoadState("networkidle");
  const isLoggedOut = () => page.waitForSelector(".top-bar a:text-is('Log in')");

  it("sends nothing as the other user, and shows that user's page instead", async () => {
    await open("/settings/profile");
    await page.fill("[name=bio]", "I am Ada.");
    await bobSignsIn();
    await page.click(SUBMIT);
    await shows(page, bob);
    for (const one of [ada, bob]) expect(await one.api.ok("getMe")).include({ bio: null });
  });

  it("goes on when its own session was merely refreshed", async () => {
    await open("/settings/profile");
    await page.fill("[name=bio]", "I am Ada.");
    await page.evaluate("globalThis.sameDocument = true");
    await browser.context.clearCookies({ name: "lc_access_token" });
    await page.click(SUBMIT);
    await page.waitForSelector(".toast:has-text('Saved')");
    expect(await ada.api.ok("getMe")).include({ bio: "I am Ada." });
    await page.evaluate("dispatchEvent(new Event('focus'))");
    expect(await page.evaluate("globalThis.sameDocument")).equal(true);
  });

  for (const [event, by] of [
    ["is seen again", "document.dispatchEvent(new Event('visibilitychange'))"],
    ["has the focus again", "dispatchEvent(new Event('focus'))"],
    [
      "comes back from the browser's cache",
      "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
    ],
  ] as const) {
    it(`shows the user who is signed in as soon as it ${event}`, async () => {
      await open("/settings/profile");
      await isQuiet();
      await bobSignsIn();
      await soon(by);
      await shows(page, bob);
      await isQuiet();
      await browser.context.clearCookies();
      await soon(by);
      await page.waitForSelector("main a:text('Log in')");
    });
  }

  it("shows the user whom a page finds that is opened beside it", async () => {
    await open("/settings/profile");
    await shows(page, ada);
    await bobSignsIn();
    const beside = await browser.context.newPage();
    await beside.goto(world.baseUrl);
    await shows(page, bob);
    await beside.close();
  });

  /** Opened in this browser, where its payer has come back from the payment page. */
  async function paying(): Promise<void> {
    const { owner } = await given.channel();
    const { checkout_id: id, checkout_url: url } = await ada.api.ok("createSubscriptionCheckout", {
      body: { channel_user_id: owner.id, tier: 1 },
    });
    await open("/support");
    await page.evaluate(rememberCheckout, { id, url });
    await open(`/${owner.username}#checkout=${id}`);
    await page.waitForSelector(".payment-notice:has-text('Waiting for the payment')");
  }

  it("forgets a payment of the user whose session was ended elsewhere", async () => {
    await paying();
    await ada.api.ok("endSessions");
    await isLoggedOut();
    expect(await page.locator(".payment-notice").count()).equal(0);
    expect(new URL(page.url()).hash).equal("");
  });

  it("goes on as a stranger's when a read finds its session ended elsewhere", async () => {
    // Nothing else tells the page.
    await page.routeWebSocket(/./, () => undefined);
    await open("/support");
    await page.waitForSelector(".top-bar [aria-label=Account]");
    await page.evaluate("globalThis.sameDocument = true");
    await ada.api.ok("endSessions");
    await page.click(".top-bar a.browse");
    await isLoggedOut();
    await page.waitForSelector("main h1:text-is('Categories')");
    await page.waitForSelector("main .more, main li, main .note");
    expect(await page.locator("main [role=alert]").count()).equal(0);
    expect(await page.evaluate("globalThis.sameDocument")).equal(true);
    const names = (await browser.context.cookies()).map(({ name }) => name);
    expect(names).deep.equal(["lc_device_id"]);
  });

  it("opens as a stranger's, at once, after its session ended elsewhere", async () => {
    await ada.api.ok("endSessions");
    let documents = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) documents++;
    });
    await open("/categories");
    await isLoggedOut();
    await isQuiet();
    expect(documents).equal(1);
  });

  it("forgets a payment when another user's page is loaded", async () => {
    await paying();
    await bobSignsIn();
    await soon("dispatchEvent(new Event('focus'))");
    await eventually(() => expect(new URL(page.url()).hash).equal(""));
    await page.waitForSelector(".top-bar [aria-label=Account]");
    expect(await page.locator(".payment-notice").count()).equal(0);
  });

  it("forgets what it has said to a user who logs out", async () => {
    await open("/settings/profile");
    await page.click(SUBMIT);
    await page.waitForSelector(".toast:has-text('Saved')");
    await page.click("[aria-label=Account]");
    await page.click("text=Log out");
    await isLoggedOut();
    expect(await page.locator(".toast").count()).equal(0);
  });

  it("drops the later pages of a list that were read as the user before", async () => {
    const category = (id: string, name: string) => ({
      id,
      slug: id,
      name,
      cover_image: null,
      tags: [],
      live_viewer_count: 0,
    });
    await page.route("**/v1/categories?*", async (route) => {
      const isFirst = new URL(route.request().url()).searchParams.get("page") === "1";
      const items = [isFirst ? category("one", "for everybody") : category("two", "for Ada")];
      await route.fulfill({ json: { items, page: isFirst ? 1 : 2, per_page: 24, has_more: isFirst } });
    });
    await open("/search");
    await page.click(".top-bar a.browse");
    await page.click("main .more button");
    await page.waitForSelector("main :text('for Ada')");
    await ada.api.ok("endSessions");
    await page.fill(".top-bar [role=combobox]", "par");
    await isLoggedOut();
    await page.waitForSelector("main :text('for everybody')");
    expect(await page.locator("main :text('for Ada')").count()).equal(0);
  });
});
