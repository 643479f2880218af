import axe from "axe-core";
import type { Page } from "playwright-core";
import { axeFaults, overhang, plainTexts } from "./in-page.mjs";

/** A desktop in light, a phone in dark, and a phone in a language a third longer. */
const LOOKS = [
  ["light", 1_280, ""],
  ["dark", 360, ""],
  ["light", 360, "?lang=pseudo"],
] as const;

/** `shown`: what is there once the page is, with all that it is to show. */
type FilledPage = { address: string; shown: readonly string[] };

/** What axe finds on each of these pages, what is wider than the window, and which texts have no key. */
export async function faultsOfEachPage(page: Page, pages: readonly FilledPage[]): Promise<string[]> {
  const found: string[] = [];
  for (const [colorScheme, width, language] of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    for (const { address, shown } of pages) {
      await page.goto(address + language);
      for (const selector of shown) await page.waitForSelector(selector);
      await page.waitForSelector("main [aria-busy=true]", { state: "detached" });
      await page.evaluate(axe.source);
      const faults = [
        ...(await page.evaluate(overhang)),
        ...(await page.evaluate(language === "" ? axeFaults : plainTexts)),
      ];
      found.push(...faults.map((fault) => `${address} ${colorScheme} ${width}: ${fault}`));
    }
  }
  return found;
}
