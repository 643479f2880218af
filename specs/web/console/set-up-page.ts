import { expect } from "chai";
import type { Page } from "playwright-core";
import { keepComplaints, type setUpChromium } from "../../support/chromium.ts";

/** A page for each spec of a file, for whoever signs in. Fails a spec whose page broke the policy or threw. */
export function setUpPage(browser: ReturnType<typeof setUpChromium>): { page(): Page } {
  const complaints: string[] = [];
  let page: Page;
  beforeEach(async () => {
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await browser.context.setOffline(false);
    await page.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });
  return { page: () => page };
}
