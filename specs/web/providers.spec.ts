// @waits: for a browser.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { givenStaff } from "../support/given-staff.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { setUpWorld } from "../support/set-up-world.ts";

/** PUBLIC_URL of the worlds of specs, where a provider sends browsers back to. */
const PUBLIC_URL = "https://livecore.example";
const SUBMIT = "main [type=submit]";

describe("providers on the site", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  let provider: IdentityProvider;
  before(async () => {
    provider = await startIdentityProvider("one");
  });
  after(() => provider?.close());
  const { world, given } = setUpWorld(() => ({
    oauth: { providers: [provider.setting()], returnUrls: ["https://app.example/"] },
  }));
  let page: Page;

  beforeEach(async () => {
    // What a proxy does in production: the service itself speaks plain http.
    await browser.context.route(`${PUBLIC_URL}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const response = await route.fetch({ url: world.baseUrl + pathname + search, maxRedirects: 0 });
      await route.fulfill({ response });
    });
    page = await browser.context.newPage();
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.unrouteAll();
    await browser.context.clearCookies();
  });

  /** On the provider's own pages, which take any name. */
  async function approve(name: string): Promise<void> {
    await page.fill("[name=login]", name);
    await page.fill("[name=password]", "any");
    await page.click("[type=submit]");
    await page.click("[type=submit]:has-text('Continue')");
  }

  it("make an account that needs its name alone, and lead to the page that was asked for", async () => {
    provider.people.set("grace", { email: "grace@one.example", email_verified: true });
    await page.goto(`${PUBLIC_URL}/sign-in?next=%2Fsettings%2Fconnections`);
    await page.click("text=Continue with The one of specs");
    await approve("grace");
    await page.waitForSelector("h1:text('Choose your username')");
    expect(page.url()).equal(`${PUBLIC_URL}/sign-in`);
    expect(await page.isVisible("[name=email]"), "the provider told it").equal(false);
    await page.fill("[name=username]", "admin");
    await page.click(SUBMIT);
    await page.waitForSelector(".fault:has-text('This username')");
    const username = `g_${Date.now().toString(36)}`;
    await page.fill("[name=username]", username);
    await page.click(SUBMIT);
    await page.waitForURL(`${PUBLIC_URL}/settings/connections`);
    await page.click(".rows button:text('Disconnect')");
    await page.waitForSelector("[role=alert]:has-text('This is your only way to log in.')");
  });

  it("tell of a ban with a form to appeal, once for each sign-in", async () => {
    provider.people.set("mallory", { email: "mallory@one.example", email_verified: true });
    await page.goto(`${PUBLIC_URL}/sign-in`);
    await page.click("text=Continue with The one of specs");
    await approve("mallory");
    const username = `m_${Date.now().toString(36)}`;
    await page.fill("[name=username]", username);
    await page.click(SUBMIT);
    await page.waitForURL(`${PUBLIC_URL}/`);
    // A page whose session ends goes on by itself, which may come between.
    await page.goto("about:blank");
    const staff = await givenStaff(world, given).staff();
    const { id } = await world.api.ok("getPublicProfile", { params: { username } });
    await staff.api.ok("banAccount", { params: { account_id: id }, body: { reason: "Spam" } });
    await browser.context.clearCookies();

    await page.goto(`${PUBLIC_URL}/sign-in`);
    await page.click("text=Continue with The one of specs");
    await approve("mallory");
    await page.waitForSelector("blockquote:text('Spam')");
    await page.waitForSelector("[name=message]");
    await page.goto("about:blank");
    await page.goto(`${PUBLIC_URL}/sign-in#error=account_banned&appeal_token=t&subject_id=${id}`);
    await page.waitForSelector("[role=alert]");
    expect(await page.locator("[name=message]").count()).equal(0);
  });

  it("are connected with an account that has a password, and disconnected", async () => {
    const { username } = await given.user();
    await page.goto(`${PUBLIC_URL}/sign-in?next=%2Fsettings%2Fconnections`);
    await page.fill("main [name=login]", username);
    await page.fill("main [name=password]", "a long phrase for specs");
    await page.click(SUBMIT);
    await page.click(".rows button:text('Connect')");
    await approve("joan");
    await page.waitForSelector(".toast:has-text('The account is connected.')");
    expect(page.url()).equal(`${PUBLIC_URL}/settings/connections`);
    await page.click(".rows button:text('Disconnect')");
    await page.waitForSelector(".toast:has-text('The account is disconnected.')");
    await page.waitForSelector('[aria-label^="Connect "]');
  });
});
