// @waits: for a browser.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

describe("changes of settings that aren't saved", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let page: Page;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    await signIn(browser.context, world.baseUrl, await given.user());
    page = await browser.context.newPage();
    await page.goto(`${world.baseUrl}/settings/account`);
    await page.click(".settings nav a[href='/settings/profile']");
    await page.fill("[name=bio]", "hello");
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
  });

  const isAsked = () => page.waitForSelector("dialog h2:text-is('Discard your changes?')");
  const answer = async (text: string) => {
    await page.click(`dialog button:text-is('${text}')`);
    await page.waitForSelector("dialog", { state: "detached" });
  };
  const leaves = {
    "a link": () => page.click(".settings nav a[href='/settings/data']"),
    "the search": async () => {
      await page.fill("[role=combobox]", "ada");
      await page.keyboard.press("Enter");
    },
    "the way back": () => page.goBack(),
  };
  const places = { "a link": "/settings/data", "the search": "/search", "the way back": "/settings/account" };

  for (const [by, leave] of Object.entries(leaves) as [keyof typeof leaves, () => Promise<unknown>][])
    it(`are asked about before the page is left by ${by}, and stay until the answer`, async () => {
      await leave();
      await isAsked();
      await answer("Keep editing");
      expect(new URL(page.url()).pathname).equal("/settings/profile");
      expect(await page.inputValue("[name=bio]")).equal("hello");
      await leave();
      await isAsked();
      await answer("Discard");
      await page.waitForURL((url) => url.pathname === places[by]);
      await page.waitForSelector("[name=bio]", { state: "detached" });
    });

  it("are asked about by the browser before a reload, until they are saved or taken back", async () => {
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      dialog.accept().catch(() => undefined);
    });
    await page.reload();
    expect(asked).deep.equal(["beforeunload"]);
    await page.fill("[name=bio]", "hello again");
    await page.click("form:has([name=bio]) button:text-is('Save')");
    await page.waitForSelector(".toast:has-text('Saved.')");
    await page.fill("[name=seo_title]", "title");
    await page.fill("[name=seo_title]", "");
    await page.reload();
    await page.click(".settings nav a[href='/settings/data']");
    await page.waitForURL("**/settings/data");
    expect(asked).deep.equal(["beforeunload"]);
  });
});
