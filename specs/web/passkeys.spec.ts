// @waits: for a browser.
import { expect } from "chai";
import type { CDPSession, Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import type { Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { addAuthenticator } from "./authenticator.ts";

/** PUBLIC_URL of the worlds of specs, which a passkey is bound to. */
const PUBLIC_URL = "https://livecore.example";
const PASSWORD = "a long phrase for specs";
const STALE_MS = 6 * 60_000;
const NAME = "<b>my</b> phone";

describe("passkeys on the site", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let page: Page;
  let devtools: CDPSession;
  let ada: Person;

  beforeEach(async () => {
    ada = await given.user();
    // What a proxy does in production: the service itself speaks plain http.
    await browser.context.route(`${PUBLIC_URL}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const response = await route.fetch({ url: world.baseUrl + pathname + search, maxRedirects: 0 });
      await route.fulfill({ response });
    });
    page = await browser.context.newPage();
    devtools = await addAuthenticator(browser.context, page);
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.unrouteAll();
    await browser.context.clearCookies();
  });

  async function logIn(next: string): Promise<void> {
    await page.goto(`${PUBLIC_URL}/sign-in?next=${encodeURIComponent(next)}`);
    await page.fill("main [name=login]", ada.username);
    await page.fill("main [name=password]", PASSWORD);
    await page.click("main [type=submit]");
    await page.waitForURL(PUBLIC_URL + next);
  }
  async function addPasskey(): Promise<void> {
    await page.click("button:text('Add a passkey')");
    await page.fill("dialog [name=name]", NAME);
    await page.click("dialog [type=submit]");
    await page.waitForSelector(".toast:has-text('The passkey is added.')");
  }

  it("are added, open the account without a password, and are renamed and removed", async () => {
    await logIn("/settings/security");
    await addPasskey();
    await page.waitForSelector(`.rows li:has-text("${NAME}")`);

    await page.click("[aria-label=Account]");
    await page.click("button:text('Log out')");
    await page.waitForSelector(".top-bar a:text('Log in')");
    await page.goto(`${PUBLIC_URL}/sign-in?next=%2Fsettings%2Fsecurity`);
    await page.click("button:text('Log in with a passkey')");
    await page.waitForURL(`${PUBLIC_URL}/settings/security`);
    await page.waitForSelector(`.rows li:has-text("${NAME}"):has-text("last used")`);

    await page.click(`[aria-label="Rename ${NAME}"]`);
    await page.fill("dialog [name=name]", "renamed");
    await page.click("dialog [type=submit]");
    await page.click("[aria-label='Remove renamed']");
    await page.waitForSelector(".toast:has-text('The passkey is removed.')");
    expect((await ada.api.ok("listPasskeys")).items).deep.equal([]);
  });

  it("prove who is here where a fresh proof is asked for", async () => {
    await logIn("/settings/security");
    await addPasskey();
    clock.move(STALE_MS);
    await page.click("button:text('Set up')");
    await page.click("dialog button:text('Use a passkey')");
    await page.waitForSelector("dialog img.qr");
  });

  it("say what to do when the browser gives none", async () => {
    await devtools.send("WebAuthn.disable");
    await page.goto(`${PUBLIC_URL}/sign-in`);
    await page.addInitScript(
      "navigator.credentials.get = async () => { throw new DOMException('no', 'NotAllowedError') }",
    );
    await page.reload();
    await page.click("button:text('Log in with a passkey')");
    await page.waitForSelector("[role=alert]:has-text('No passkey was used.')");
  });
});
