import axe from "axe-core";
import type { Page } from "playwright-core";
import { axeFaults, overhang, plainTexts } from "./in-page.mjs";

/** A desktop in light, a phone in dark, and a phone in a language a third longer. */
const LOOKS = [
  ["light", 1_280, ""],
  ["dark", 360, ""],
  ["light", 360, "?lang=pseudo"],
] as const;

/**
 * What axe finds on each of these pages, what is wider than the window, and which texts have no key. `shown`: what is there once a page is.
 */
export async function faultsOfEachPage(
  page: Page,
  { addresses, shown }: { addresses: readonly string[]; shown: string },
): Promise<string[]> {
  const found: string[] = [];
  for (const [colorScheme, width, language] of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    for (const address of addresses) {
      await page.goto(address + language);
      await page.waitForSelector(shown);
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
