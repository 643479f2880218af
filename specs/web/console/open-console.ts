import axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";
import type { Channel } from "../../support/given-channels.ts";
import { axeFaults, overhang, plainTexts } from "../in-page.mjs";
import { signIn } from "../signed-in.ts";

const DESKTOP = { width: 1_280, height: 800 };
const PHONE = { width: 360, height: 740 };

/** Opens the stream page of the console as the channel's owner, once it follows the channel. */
export async function openConsole(
  page: Page,
  where: { context: BrowserContext; baseUrl: string },
  { owner }: Channel,
): Promise<void> {
  await page.setViewportSize(DESKTOP);
  await signIn(where.context, where.baseUrl, owner);
  await page.goto(`${where.baseUrl}/console`);
  await page.waitForSelector(".talk >> text=No messages yet.");
}

/** What axe finds, and what is too wide, light and dark, on a desktop and a phone. */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  await page.evaluate(axe.source);
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const found = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
      faults.push(...found.map((fault) => `${size.width} ${colorScheme}: ${fault}`));
    }
  }
  await page.setViewportSize(DESKTOP);
  return faults;
}

/** Texts that no language has, in one that is a third longer, and what is too wide on a phone then. */
export async function faultsInPseudo(page: Page): Promise<string[]> {
  await page.setViewportSize(PHONE);
  await page.goto(`${page.url()}?lang=pseudo`);
  await page.waitForSelector(".talk .log");
  return [...(await page.evaluate(plainTexts)), ...(await page.evaluate(overhang))];
}
