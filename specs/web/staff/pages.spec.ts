import { expect } from "chai";
import type { Page } from "playwright-core";
import { PLAIN_PAGES } from "../../../web/src/pages/pages.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { image } from "../../support/images.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { setUpPage } from "../console/set-up-page.ts";
import { faultsOfEachPage } from "../each-page.ts";
import { hostileName, hostileText, pageWith } from "../hostile-text.ts";
import { signIn } from "../signed-in.ts";
import { signInStaff } from "./sign-in-staff.ts";

const PATHS = Object.keys(PLAIN_PAGES).filter((path) => /^\/staff\b/.test(path));
/** What each page shows: texts of people, or rows where there are none. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  "/staff": ["details", "message"].map(pageWith),
  "/staff/reports/:report_id": ["details", "bio"].map(pageWith),
  "/staff/appeals": [pageWith("appeal")],
  "/staff/support": ["subject", "request"].map(pageWith),
  "/staff/accounts": ["main .rows li >> nth=2"],
  "/staff/accounts/:account_id": ["strike", "ban"].map(pageWith),
  "/staff/categories": [pageWith("category")],
  "/staff/sets": [pageWith("badge"), "main bdi:text-is('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')"],
  "/staff/featured": ["main .users li"],
  "/staff/audit": ["main .log li >> nth=4"],
};

describe("staff pages", function () {
  this.timeout(120_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpPage(browser);
  let page: Page;
  beforeEach(() => {
    page = opened.page();
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

  it("show hostile texts as texts, pass axe in light and dark, and are no wider than a phone or a desktop", async () => {
    const staffed = givenStaff(world, given);
    const staff = await staffed.staff();
    const [channel, target] = [await given.channel(), await given.user()];
    const account_id = target.id;
    await target.api.ok("updateMe", {
      body: { bio: hostileText("bio", 300), username_title: target.username.toUpperCase() },
    });
    const about = { reason_code: "hate", details: hostileText("details", 2_000) };
    for (const [target_type, target_id] of [
      ["user", target.id],
      ["stream", channel.at.stream_id],
      ["chat_message", await staffed.message(channel, target, hostileText("message", 500))],
    ])
      await (await given.user()).api.ok("createReport", { body: { target_type, target_id, ...about } });
    const strike = await staff.api.ok("giveStrike", {
      params: { account_id },
      body: { reason: hostileText("strike", 500) },
    });
    await target.api.ok("createAppeal", {
      body: { subject_type: "strike", subject_id: strike.id, message: hostileText("appeal", 2_000) },
    });
    const { email } = await target.api.ok("getMyEmail");
    const words = { subject: hostileText("subject", 140), message: hostileText("request", 5_000) };
    await target.api.ok("createSupportRequest", { body: { kind: "support", email, ...words } });
    await staff.api.ok("banAccount", { params: { account_id }, body: { reason: hostileText("ban", 500) } });
    await staff.api.ok("createCategory", {
      body: { name: hostileName("category", 60), tags: [hostileText("", 25)] },
    });
    const picture = await image();
    await staff.api.ok("addGlobalBadge", { query: { name: hostileName("badge", 32) }, ...picture });
    await staff.api.ok("addGlobalEmote", { query: { name: "x".repeat(32) }, ...picture });
    await staff.api.ok("setFeatured", { body: { user_ids: [channel.owner.id] } });
    const ids: Record<string, string> = {
      ":account_id": account_id,
      ":report_id": await staffed.caseOf(target.id),
    };
    await signInStaff(browser.context, world.baseUrl, staff);
    const pages = PATHS.map((path) => ({
      address: world.baseUrl + path.replace(/:\w+/, (name) => ids[name] ?? name),
      shown: ["main .section h1", ...(SHOWN[path] ?? [`none is known for ${path}`])],
    }));
    expect(await faultsOfEachPage(page, pages)).deep.equal([]);
  });
});
