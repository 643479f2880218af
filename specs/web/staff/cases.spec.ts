// @waits: for browsers to lay pages out.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { DAY_MS } from "../../../base/durations.ts";
import { keepComplaints, setUpChromium } from "../../support/chromium.ts";
import type { Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { faultsOf } from "../console/open-console.ts";
import { signIn } from "../signed-in.ts";
import { signInStaff } from "./sign-in-staff.ts";

const ROWS = ".queue > li";

describe("reported cases on the staff pages", function () {
  this.timeout(90_000);
  const [first, second] = [setUpChromium(), setUpChromium()];
  const { world, given } = setUpWorld();
  const complaints: string[] = [];
  let staffed: GivenStaff;
  let staff: Person;
  let page: Page;

  before(async () => {
    staffed = givenStaff(world, given);
    staff = await staffed.staff();
  });
  beforeEach(async () => {
    page = await first.context.newPage();
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page.close();
    expect(complaints.splice(0)).deep.equal([]);
  });

  const report = (by: Person, target: Person, details = "Insults everybody") =>
    by.api.ok("createReport", {
      body: { target_type: "user", target_id: target.id, reason_code: "harassment", details },
    });
  const rowOf = (on: Page, { username }: Person) => on.locator(`${ROWS}:has-text("${username}")`);

  it("are decided by keyboard from the queue, and target and reporter are told in the same commit", async () => {
    const [target, reporter] = [await given.user(), await given.user()];
    await report(reporter, target);
    await signInStaff(first.context, world.baseUrl, staff);
    await page.goto(`${world.baseUrl}/staff`);
    await rowOf(page, target).focus();
    await page.keyboard.press("a");
    await page.waitForSelector("dialog[open]:has-text('Warn')");
    await page.locator("dialog input[name=warning]").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.locator("dialog input[name=reason]").focus();
    await page.keyboard.type("Be kind");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Third time");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");

    await rowOf(page, target).waitFor({ state: "detached" });
    const [strike] = (await target.api.ok("listMyStrikes")).items;
    expect(strike?.reason).equal("Be kind");
    expect((await reporter.api.ok("listMyReports")).items[0]?.status).equal("actioned");
    const one = (await staff.api.ok("listUserReports", { params: { account_id: target.id } })).items[0];
    expect(one).include({ status: "actioned", note: "Third time" });
    expect(one?.measures.map(({ type }) => type)).deep.equal(["warning", "strike"]);
    expect(one?.decided_by?.id).equal(staff.id);
  });

  it("show the target as it was when it was reported beside what it is now, with reports and other cases", async () => {
    const [target, reporter] = [await given.user(), await given.user()];
    await report(reporter, target, "The first one");
    const earlier = await staffed.caseOf(target.id);
    for (const action of ["claim", "dismiss"] as const)
      await staff.api.ok("handleReport", { params: { report_id: earlier }, body: { action } });
    await target.api.ok("updateMe", { body: { bio: "Everybody here is stupid" } });
    await report(await given.user(), target, "Look at the profile");
    await target.api.ok("updateMe", { body: { bio: "Welcome" } });
    await signInStaff(first.context, world.baseUrl, staff);

    await page.goto(`${world.baseUrl}/staff/reports/${await staffed.caseOf(target.id)}`);

    await page.waitForSelector(".versions section:has-text('When it was reported') >> text=Everybody here");
    await page.waitForSelector(".versions section:has-text('Now') >> text=Welcome");
    await page.waitForSelector("text=Look at the profile");
    await page.waitForSelector(".panel:has-text('Other cases') .state:has-text('Dismissed')");
    const opened = world.auditedOf("staff.read", staff.id).map(({ operation }) => operation);
    expect(opened).include.members([
      "getReport",
      "listCaseReports",
      "getReportHistory",
      "getUser",
      "listUserReports",
    ]);
  });

  it("show all their reports, a page at a time", async () => {
    const target = await given.user();
    for (let n = 1; n <= 25; n++) await report(await given.user(), target, `Report ${n}.`);
    await signInStaff(first.context, world.baseUrl, staff);
    await page.goto(`${world.baseUrl}/staff/reports/${await staffed.caseOf(target.id)}`);
    const shown = page.locator(".panel:has(h2:text-is('Reports'))");
    await shown.locator("text=Report 25.").waitFor();
    expect(await shown.locator("text=Report 1.").count()).equal(0);

    await shown.locator("button:text-is('Show more')").click();

    await shown.locator("text=Report 1.").waitFor();
    expect(await shown.locator(".rows > li").count()).equal(25);
  });

  it("list who began, stopped and decided, after a dialog in which axe finds nothing", async () => {
    const [channel, author, reporter] = [await given.channel(), await given.user(), await given.user()];
    const target_id = await staffed.message(channel, author, "You fools");
    await reporter.api.ok("createReport", {
      body: { target_type: "chat_message", target_id, reason_code: "harassment" },
    });
    await signInStaff(first.context, world.baseUrl, staff);
    await page.goto(`${world.baseUrl}/staff/reports/${await staffed.caseOf(target_id)}`);
    await page.click("text=Start review");
    await page.click("text=Stop review");
    await page.waitForSelector("text=No one is reviewing this.");
    await page.keyboard.press("a");
    await page.check("dialog input[name=warning]");
    await page.check("dialog input[name=chat_ban]");
    await page.fill("dialog input[name=reason]", "Be kind");
    expect(await faultsOf(page)).deep.equal([]);

    await page.click("dialog >> button:has-text('Act')");

    await page.waitForSelector(`text=Acted on by ${staff.username}`);
    const changes = page.locator(".panel:has(h2:text-is('This case')) li");
    await changes.nth(4).waitFor();
    const times = await changes.locator("time").allTextContents();
    const said = await changes.allTextContents();
    const { username } = staff;
    expect(said.map((text, n) => text.replace(`${times[n]} `, ""))).deep.equal([
      `Opened · ${reporter.username}`,
      `Review started · ${username}`,
      `Review stopped · ${username}`,
      `Review started · ${username}`,
      `Acted on · ${username}`,
    ]);
  });

  it("show that a channel hasn't changed, or what it had planned when it was reported", async () => {
    const { owner, at } = await given.channel();
    const starts_at = new Date(world.clock.now() + DAY_MS).toISOString();
    const { id: entry_id } = await owner.api.ok("createScheduleEntry", {
      body: { title: "You fools", starts_at, is_recurring: true },
    });
    await (await given.user()).api.ok("createReport", {
      body: { target_type: "stream", target_id: at.stream_id, reason_code: "harassment" },
    });
    await signInStaff(first.context, world.baseUrl, staff);
    await page.goto(`${world.baseUrl}/staff/reports/${await staffed.caseOf(at.stream_id)}`);
    const shown = (title: string) => page.locator(`.versions section:has-text('${title}')`);
    await shown("When it was reported").locator("text=You fools").waitFor();
    await shown("Now").locator("text=It hasn't changed since.").waitFor();

    await owner.api.ok("updateScheduleEntry", { params: { entry_id }, body: { title: "Chess" } });
    await page.reload();

    await shown("When it was reported").locator("text=You fools").waitFor();
    await shown("Now").locator("text=Chess").waitFor();
  });

  it("are reviewed by one staff member: the other is told who, and that it was decided", async () => {
    const other = await staffed.staff();
    const [target, reporter] = [await given.user(), await given.user()];
    await report(reporter, target);
    const path = `${world.baseUrl}/staff/reports/${await staffed.caseOf(target.id)}`;
    const slower = await second.context.newPage();
    keepComplaints(slower, complaints);
    await signInStaff(first.context, world.baseUrl, staff);
    await signInStaff(second.context, world.baseUrl, other);
    await Promise.all([page.goto(path), slower.goto(path)]);
    await slower.waitForSelector("text=No one is reviewing this.");

    await page.click("text=Start review");
    await page.waitForSelector("text=You are reviewing this until");
    await slower.keyboard.press("d");
    await slower.click("dialog >> button:has-text('Dismiss')");

    await slower.waitForSelector("text=Another staff member is reviewing this now.");
    await slower.waitForSelector(`text=${staff.username} is reviewing this until`);
    await page.keyboard.press("d");
    await page.click("dialog >> button:has-text('Dismiss')");
    await page.waitForSelector(`text=Dismissed by ${staff.username}`);
    await slower.close();
  });

  it("aren't shown to viewers, to strangers, and to staff without a second factor", async () => {
    const user = await given.user();
    for (const path of ["/staff", "/staff/reports/0197b7a0-0000-7000-8000-0000000000aa"]) {
      // The page that is open would load itself again when it notices.
      await page.goto("about:blank");
      await first.context.clearCookies();
      await page.goto(world.baseUrl + path);
      await page.waitForSelector("h1:text('Page not found')");
      await page.goto("about:blank");
      await signIn(first.context, world.baseUrl, user);
      await page.goto(world.baseUrl + path);
      await page.waitForSelector("h1:text('Page not found')");
      expect(await page.locator("nav:has-text('Appeals')").count()).equal(0);
    }
    await world.core.staff.setStaff(user.username, true, { userId: null, origin: null });
    await page.goto(`${world.baseUrl}/staff`);
    await page.waitForSelector("text=Set up a second factor first");
    expect(await page.locator("main a:text('Go to security settings')").getAttribute("href")).match(
      /\/settings\/security$/,
    );
  });
});
