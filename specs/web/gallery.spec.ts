// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang } from "./in-page.mjs";

const HEIGHT = 800;
const VIEWS = [
  ["light", 1_280],
  ["dark", 360],
  ["light", 360],
  ["dark", 1_280],
] as const;

/** What a page has once, the gallery has in each state. */
const OF_THE_WHOLE = /^(heading-order|landmark-unique) /;

describe("the gallery of components", function () {
  this.timeout(240_000);
  const browser = setUpChromium();
  const { world } = setUpWorld({ development: { mailboxUrl: null, evening: null } });
  let page: Page;
  before(async () => {
    page = await browser.context.newPage();
  });
  after(() => page?.close());

  async function open(query = ""): Promise<void> {
    await page.goto(`${world.baseUrl}/gallery${query}`);
    await page.waitForSelector(".specimen");
    // Evaluated by the debugger, which the page's policy doesn't bind.
    await page.evaluate(axe.source);
  }
  const faults = async (): Promise<string[]> => [
    ...(await page.evaluate(axeFaults)).filter((fault) => !OF_THE_WHOLE.test(fault)),
    ...(await page.evaluate(overhang)),
  ];

  it("passes axe in each state, and none is wider than the window", async () => {
    const found: string[] = [];
    for (const [colorScheme, width] of VIEWS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: HEIGHT });
      await open();
      found.push(...(await faults()).map((fault) => `${colorScheme} ${width}: ${fault}`));
    }
    expect(found).deep.equal([]);
  });

  it("passes axe in each of its dialogs, and none is wider than a phone", async () => {
    await page.setViewportSize({ width: 360, height: HEIGHT });
    await open();
    const found: string[] = [];
    for (const opener of await page.locator("[data-opens]").all()) {
      await opener.click();
      await page.waitForSelector("dialog[open]");
      const name = await opener.textContent();
      found.push(...(await faults()).map((fault) => `${name}: ${fault}`));
      await page.keyboard.press("Escape");
      await page.waitForSelector("dialog[open]", { state: "detached" });
    }
    expect(found).deep.equal([]);
  });

  it("shows texts as texts, also where they are a third longer", async () => {
    await page.setViewportSize({ width: 360, height: HEIGHT });
    await open("?lang=pseudo");
    expect(await page.$$("img[src=x]")).deep.equal([]);
    expect(await page.evaluate(overhang)).deep.equal([]);
  });
});
