import { expect } from "chai";
import type { Page } from "playwright-core";
import { PLAIN_PAGES } from "../../../web/src/pages/pages.ts";
import { keepComplaints, setUpChromium } from "../../support/chromium.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { faultsOfEachPage } from "../each-page.ts";
import { signIn } from "../signed-in.ts";
import { signInStaff } from "./sign-in-staff.ts";

const PATHS = Object.keys(PLAIN_PAGES).filter((path) => /^\/staff\b/.test(path));
/** Wider than the service's own title, and unlike a text of ours. */
const HOSTILE = "<b>bold</b> & שלום ".repeat(2).trim();
const WIDE = "x".repeat(200);

describe("staff pages", function () {
  this.timeout(120_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let page: Page;
  const complaints: string[] = [];

  beforeEach(async () => {
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  it("aren't there for anybody but staff, whose account menu leads there", async () => {
    const staff = await givenStaff(world, given).staff();
    await signIn(browser.context, world.baseUrl, await given.user());
    for (const path of PATHS) {
      await page.goto(world.baseUrl + path.replace(/:\w+/, "0197b7a0-0000-7000-8000-0000000000aa"));
      await page.waitForSelector("h1:text('Page not found')");
    }
    await page.click(".opener[aria-label='Account']");
    expect(await page.locator(".menu a:text-is('Staff')").count()).equal(0);

    await page.goto("about:blank");
    await signInStaff(browser.context, world.baseUrl, staff);
    await page.goto(world.baseUrl);
    await page.click(".opener[aria-label='Account']");
    await page.click(".menu a:text-is('Staff')");
    await page.waitForSelector("main h1:text('Reports')");
  });

  it("pass axe in light and dark, on a phone and on a desktop, and are no wider than the window", async () => {
    const staffed = givenStaff(world, given);
    const staff = await staffed.staff();
    const [channel, target] = [await given.channel(), await given.user()];
    const account_id = target.id;
    await target.api.ok("updateMe", {
      body: { bio: HOSTILE, username_title: target.username.toUpperCase() },
    });
    const about = { reason_code: "hate", details: HOSTILE + WIDE };
    for (const [target_type, target_id] of [
      ["user", target.id],
      ["stream", channel.at.stream_id],
      ["chat_message", await staffed.message(channel, target, WIDE)],
    ])
      await (await given.user()).api.ok("createReport", { body: { target_type, target_id, ...about } });
    const strike = await staff.api.ok("giveStrike", { params: { account_id }, body: { reason: HOSTILE } });
    await target.api.ok("createAppeal", {
      body: { subject_type: "strike", subject_id: strike.id, message: HOSTILE + WIDE },
    });
    const { email } = await target.api.ok("getMyEmail");
    await target.api.ok("createSupportRequest", {
      body: { kind: "support", email, subject: HOSTILE, message: WIDE },
    });
    await staff.api.ok("banAccount", { params: { account_id }, body: { reason: HOSTILE } });
    await staff.api.ok("createCategory", { body: { name: HOSTILE, tags: ["ab"] } });
    await staff.api.ok("setFeatured", { body: { user_ids: [channel.owner.id] } });
    const ids: Record<string, string> = {
      ":account_id": account_id,
      ":report_id": await staffed.caseOf(target.id),
    };
    await signInStaff(browser.context, world.baseUrl, staff);
    const addresses = PATHS.map((path) => world.baseUrl + path.replace(/:\w+/, (name) => ids[name] ?? name));
    const found = await faultsOfEachPage(page, { addresses, shown: "main .section h1" });
    expect(found).deep.equal([]);
  });
});
