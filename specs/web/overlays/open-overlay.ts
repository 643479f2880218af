import { expect } from "chai";
import type { BrowserContext, Page } from "playwright-core";
import type { CreatedOverlay } from "../../../contract/wire.ts";
import { keepComplaints, type setUpChromium } from "../../support/chromium.ts";
import type { Channel } from "../../support/given-channels.ts";
import { watchAlerts } from "../in-page.mjs";

type Wanted = { kind: CreatedOverlay["kind"]; settings?: Partial<CreatedOverlay["settings"]> };

/** What a program for broadcasts shows, by default. */
const SOURCE = { width: 800, height: 600 };

export const createOverlay = ({ owner, at }: Channel, { kind, settings = {} }: Wanted) =>
  owner.api.ok("createOverlay", { params: at, body: { kind, name: "Mine", settings } });

export const addressOf = (baseUrl: string, { kind, token }: { kind: string; token: string }): string =>
  `${baseUrl}/overlay/${kind}#${token}`;

/**
 * Opens it as a broadcasting program does. `shown`: the text of each alert, since it was opened first. `script` runs before those of the
 * page.
 */
export async function openOverlay(
  context: BrowserContext,
  address: string,
  script = "",
): Promise<{ page: Page; shown: string[] }> {
  const page = await context.newPage();
  const shown: string[] = [];
  await page.setViewportSize(SOURCE);
  await page.exposeFunction("alertShown", (text: string) => void shown.push(text));
  await page.addInitScript(watchAlerts);
  await page.addInitScript(script);
  await page.goto(address);
  return { page, shown };
}

/** Overlays' pages for the specs of a file; each ends with its spec. Fails a spec whose page broke the policy or threw. */
export function setUpOverlay(browser: ReturnType<typeof setUpChromium>) {
  const complaints: string[] = [];
  afterEach(async () => {
    for (const page of browser.context.pages()) await page.close();
    expect(complaints.splice(0)).deep.equal([]);
  });
  /** As `openOverlay` does, once there is something of it. */
  return async (address: string, script = ""): ReturnType<typeof openOverlay> => {
    const opened = await openOverlay(browser.context, address, script);
    keepComplaints(opened.page, complaints);
    await opened.page.waitForSelector(".overlay");
    return opened;
  };
}
