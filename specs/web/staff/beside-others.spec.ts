// @waits: for browsers to lay pages out.
import { expect } from "chai";
import type { Route } from "playwright-core";
import { MINUTE_MS } from "../../../base/durations.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { image } from "../../support/images.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { setUpPage } from "../console/set-up-page.ts";
import { signInStaff } from "./sign-in-staff.ts";

const SOON = { withinMs: 20_000, everyMs: 20 };
/** More than a page of a queue. */
const MANY = 30;
const DECISIONS = "**/v1/admin/reports/*";

describe("staff pages, while answers are late or lost and other staff work too,", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  const { page } = setUpPage(browser);
  let staffed: GivenStaff;
  let staff: Person;
  let other: Person;

  before(async () => {
    staffed = givenStaff(world, given);
    other = await staffed.staff();
  });
  beforeEach(async () => {
    staff = await staffed.staff();
    await signInStaff(browser.context, world.baseUrl, staff);
  });

  const open = (path: string) => page().goto(world.baseUrl + path);
  const rowOf = ({ username }: Person) => page().locator(`.queue > li:has-text("${username}")`);
  const on = (person: Person) => ({ params: { account_id: person.id } });

  async function reported(target?: Person): Promise<{ target: Person; report_id: string }> {
    const who = target ?? (await given.user());
    const body = { target_type: "user", target_id: who.id, reason_code: "harassment" };
    await (await given.user()).api.ok("createReport", { body });
    return { target: who, report_id: await staffed.caseOf(who.id) };
  }
  const handle = (by: Person, report_id: string, body: object) =>
    by.api.ok("handleReport", { params: { report_id }, body });

  /** Holds the answers to that method back until `let`; `sent` once there is one. */
  async function lateAnswers(method: string, path: RegExp): Promise<{ sent: Promise<void>; let(): void }> {
    let goOn: () => void = () => undefined;
    let reached: () => void = () => undefined;
    const free = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const sent = new Promise<void>((resolve) => {
      reached = resolve;
    });
    await page().route(path, async (route: Route) => {
      if (route.request().method() !== method) return route.continue();
      const answer = await route.fetch();
      reached();
      await free;
      return route.fulfill({ response: answer });
    });
    return { sent, let: () => goOn() };
  }

  it("show every page of a queue as it is after an act on one of them, and say when one can't be read again", async () => {
    const cases: { target: Person; report_id: string }[] = [];
    for (let n = 0; n < MANY; n++) cases.push(await reported());
    const at = (place: number) => {
      const one = cases[place];
      if (!one) throw new Error("so many are reported");
      return one;
    };
    await open("/staff");
    await page().click("main .more button");
    await eventually(async () => expect(await page().locator(".queue > li").count()).equal(MANY), SOON);
    await handle(other, at(24).report_id, { action: "claim" });

    await page().route(/[?&]page=2&/, (route) => route.abort());
    await page().click("text=Refresh");
    await page().waitForSelector(".more [role=alert]");
    await page().unroute(/[?&]page=2&/);
    await page().click(".more button:has-text('Try again')");
    await rowOf(at(24).target).locator(`text=${other.username} is reviewing`).waitFor();
    await page().waitForSelector("main .more", { state: "detached" });

    await rowOf(at(27).target).focus();
    await page().keyboard.press("d");
    await page().click("dialog >> button:has-text('Dismiss')");

    await rowOf(at(27).target).waitFor({ state: "detached" });
    await page().waitForSelector(`:focus[data-id="${at(28).report_id}"]`);
    await rowOf(at(0).target).focus();
    await page().keyboard.press("d");
    await page().click("dialog >> button:has-text('Dismiss')");
    await rowOf(at(0).target).waitFor({ state: "detached" });
    await eventually(async () => expect(await page().locator(".queue > li").count()).equal(MANY - 2), SOON);
    for (const { report_id } of cases.filter((_, place) => ![0, 24, 27].includes(place))) {
      await handle(staff, report_id, { action: "claim" });
      await handle(staff, report_id, { action: "dismiss" });
    }
    await handle(other, at(24).report_id, { action: "dismiss" });
  });

  it("keep what was written when a decision is refused, and show that the case is claimed", async () => {
    const { report_id } = await reported();
    await open(`/staff/reports/${report_id}`);
    await page().waitForSelector("text=No one is reviewing this.");
    await page().keyboard.press("a");
    await page().locator("dialog input[name=warning]").check();
    await page().fill("dialog input[name=reason]", "Be kind");
    await page().route(DECISIONS, (route) =>
      route.request().postData()?.includes("measures")
        ? route.fulfill({
            status: 400,
            json: { error: { code: "validation_failed", message: "It isn't valid.", details: {} } },
          })
        : route.continue(),
    );

    await page().click("dialog >> button:has-text('Act')");

    await page().waitForSelector("text=You are reviewing this until");
    expect(await page().locator("dialog input[name=reason]").inputValue()).equal("Be kind");
    await page().unroute(DECISIONS);
    await page().click("dialog >> button:has-text('Act')");
    await page().waitForSelector("text=Acted on by");
  });

  it("give one strike when its answer is lost and its reason is corrected", async () => {
    const user = await given.user();
    await open(`/staff/accounts/${user.id}`);
    await page().click("text=Give strike");
    await page().fill("dialog input[name=reason]", "Insuts");
    let isLost = false;
    await page().route(/\/strikes$/, async (route) => {
      if (route.request().method() !== "POST" || isLost) return route.continue();
      isLost = true;
      await route.fetch();
      return route.abort();
    });
    await page().click("dialog >> button:has-text('Give strike')");
    await page().waitForSelector("dialog [role=alert]");

    await page().fill("dialog input[name=reason]", "Insults");
    await page().click("dialog >> button:has-text('Give strike')");

    await page().waitForSelector("text=Your first try has given the strike already");
    await page().waitForSelector(".panel:has-text('Strikes') >> text=Insuts");
    expect((await staff.api.ok("listStrikes", on(user))).items.map(({ reason }) => reason)).deep.equal([
      "Insuts",
    ]);
  });

  it("lift the ban that they show, and no other", async () => {
    const user = await given.user();
    await staff.api.ok("banAccount", { ...on(user), body: { reason: "Insults" } });
    await open(`/staff/accounts/${user.id}`);
    await page().click("text=Lift ban");
    await other.api.ok("unbanAccount", on(user));
    await other.api.ok("banAccount", { ...on(user), body: { reason: "Threats" } });

    await page().click("dialog >> text=Lift ban");

    await page().waitForSelector("text=Another ban is in force now.");
    await page().waitForSelector(".panel:has-text('Bans') >> text=Threats");
    expect((await staff.api.ok("getUser", on(user))).ban?.reason).equal("Threats");
    await page().click("text=Lift ban");
    await page().click("dialog >> text=Lift ban");
    await page().waitForSelector(`.panel:has-text('Bans') >> text=Lifted by ${staff.username}`);
  });

  it("feature a channel beside those that another staff member featured since", async () => {
    const [first, second] = [await given.user(), await given.user()];
    await open("/staff/featured");
    await page().waitForSelector("text=No channel is featured.");
    await other.api.ok("setFeatured", { body: { user_ids: [first.id] } });

    await page().fill("input[name=username]", second.username);
    await page().click("form.add >> text=Add");

    await page().waitForSelector(`.users >> text=${second.username}`);
    await page().waitForSelector(`.users >> text=${first.username}`);
    const { items } = await staff.api.ok("listFeatured");
    expect(items.map(({ id }) => id)).deep.equal([first.id, second.id]);
  });

  it("leave a channel at the top of those featured that another staff member moved there already", async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => given.user()));
    const [first, second, ...others] = users.map(({ id }) => id);
    const feature = (by: Person, ids: (string | undefined)[]) =>
      by.api.ok("setFeatured", { body: { user_ids: ids.map(String) } });
    await feature(staff, [first, second, ...others]);
    await open("/staff/featured");
    await page().waitForSelector(`.users >> text=${users[4]?.username}`);
    await feature(other, [second, first, ...others]);

    await page().click(`[aria-label='Move ${users[1]?.username} up']`);

    await page().waitForSelector(`.users > li:first-child:has-text("${users[1]?.username}")`);
    const { items } = await staff.api.ok("listFeatured");
    expect(items.map(({ id }) => id)).deep.equal([second, first, ...others]);
  });

  it("say that a decision was one's own when its answer is lost and it is made again", async () => {
    const { report_id } = await reported();
    await open(`/staff/reports/${report_id}`);
    await page().waitForSelector("text=No one is reviewing this.");
    await page().keyboard.press("d");
    let isLost = false;
    await page().route(DECISIONS, async (route) => {
      if (isLost || !route.request().postData()?.includes("dismiss")) return route.continue();
      isLost = true;
      await route.fetch();
      return route.abort();
    });
    await page().click("dialog >> button:has-text('Dismiss')");
    await page().waitForSelector("dialog [role=alert]");

    await page().click("dialog >> button:has-text('Dismiss')");

    await page().waitForSelector("text=Your first try has decided this.");
    await page().waitForSelector("dialog", { state: "detached" });
    await page().waitForSelector(`text=Dismissed by ${staff.username}`);
  });

  it("show every page of emotes as it is after the last of them is deleted", async () => {
    const picture = await image();
    const names = Array.from({ length: 25 }, (_, n) => `zz${String(n).padStart(2, "0")}`);
    for (const name of names) await staff.api.ok("addGlobalEmote", { ...picture, query: { name } });
    await open("/staff/sets");
    const emotes = page().locator(".panel", { has: page().locator("h2:text-is('Global emotes')") });
    await emotes.locator(".more button").click();
    const last = emotes.locator("li:has-text('zz24')");
    await last.locator("button").click();

    await page().locator("dialog button[type=submit]").click();

    await last.waitFor({ state: "detached" });
  });

  it("keep a strike that is being written when the answer about a ban is late", async () => {
    const user = await given.user();
    await open(`/staff/accounts/${user.id}`);
    await page().click("text=Ban account");
    await page().fill("dialog input[name=reason]", "Insults");
    const late = await lateAnswers("PUT", /\/ban$/);
    await page().click("dialog >> text=Ban account");
    await late.sent;
    await page().keyboard.press("Escape");
    await page().waitForSelector("dialog[open]", { state: "detached" });
    await page().click("text=Give strike");
    await page().fill("dialog input[name=reason]", "Threats");

    late.let();

    await page().waitForSelector(".panel:has-text('Bans') >> text=Insults");
    await page().waitForSelector(".log >> text=Banned an account");
    expect(await page().locator("dialog input[name=reason]").inputValue()).equal("Threats");
  });

  it("leave the dialog that was opened since alone when a late answer comes", async () => {
    const [one, two] = [await reported(), await reported()];
    await open("/staff");
    await rowOf(one.target).focus();
    await page().keyboard.press("d");
    await page().waitForSelector("dialog[open]");
    const late = await lateAnswers("PATCH", new RegExp(`/v1/admin/reports/${one.report_id}`));
    await page().click("dialog >> button:has-text('Dismiss')");
    await late.sent;
    await page().keyboard.press("Escape");
    await page().waitForSelector("dialog[open]", { state: "detached" });
    await rowOf(two.target).focus();
    await page().keyboard.press("d");
    await page().fill("dialog textarea[name=note]", "Looked at it");

    late.let();

    await rowOf(one.target).waitFor({ state: "detached" });
    expect(await page().locator("dialog textarea[name=note]").inputValue()).equal("Looked at it");
  });

  // The last one: the others' tokens end by then.
  it("decide after a claim that ran out meanwhile", async () => {
    const { target, report_id } = await reported();
    const strike = await staff.api.ok("giveStrike", { ...on(target), body: { reason: "Insults" } });
    const appeal = { subject_type: "strike", subject_id: strike.id, message: "I was quoting somebody else." };
    const { id } = await target.api.ok("createAppeal", { body: appeal });
    await open(`/staff/reports/${report_id}`);
    await page().click("text=Start review");
    await page().waitForSelector("text=You are reviewing this until");
    await staff.api.ok("handleAppeal", { params: { appeal_id: id }, body: { action: "claim" } });
    const appeals = await browser.context.newPage();
    await appeals.goto(`${world.baseUrl}/staff/appeals`);
    await appeals.locator(`.queue > li:has-text("${target.username}") >> text=You are reviewing`).waitFor();
    world.clock.move(31 * MINUTE_MS);

    await page().keyboard.press("d");
    await page().click("dialog >> button:has-text('Dismiss')");
    await page().waitForSelector(`text=Dismissed by ${staff.username}`);
    await appeals.locator(`.queue > li:has-text("${target.username}")`).focus();
    await appeals.keyboard.press("d");
    await appeals.fill("dialog textarea", "It wasn't a quote");
    await appeals.locator("dialog button[type=submit]").click();
    await appeals.waitForSelector("text=The appeal is declined.");
    await appeals.close();
  });
});
