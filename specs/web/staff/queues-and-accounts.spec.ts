// @waits: for browsers to lay pages out.
import { expect } from "chai";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { setUpPage } from "../console/set-up-page.ts";
import { signInStaff } from "./sign-in-staff.ts";

const SOON = { withinMs: 8_000, everyMs: 20 };

describe("staff pages of queues and accounts", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const { page } = setUpPage(browser);
  let staffed: GivenStaff;
  let staff: Person;

  before(async () => {
    staffed = givenStaff(world, given);
    staff = await staffed.staff();
  });
  beforeEach(() => signInStaff(browser.context, world.baseUrl, staff));

  const open = (path: string) => page().goto(world.baseUrl + path);
  const strike = (user: Person) =>
    staff.api.ok("giveStrike", { params: { account_id: user.id }, body: { reason: "Insults" } });

  it("accept an appeal by keys, saying before what that undoes, and answer its user", async () => {
    const user = await given.user();
    const { id } = await strike(user);
    const message = "I was quoting somebody else.";
    await user.api.ok("createAppeal", { body: { subject_type: "strike", subject_id: id, message } });
    await open("/staff/appeals");
    await page().locator(`.queue > li:has-text("${user.username}")`).focus();

    await page().keyboard.press("a");
    await page().waitForSelector("dialog >> text=This revokes the strike");
    await page().locator("dialog textarea").focus();
    await page().keyboard.type("You are right");
    await page().keyboard.press("Tab");
    await page().keyboard.press("Tab");
    await page().keyboard.press("Enter");

    await page().waitForSelector("text=The appeal is accepted.");
    const [appeal] = (await user.api.ok("listMyAppeals")).items;
    expect(appeal).include({ status: "granted", note: "You are right" });
    expect((await user.api.ok("listMyStrikes")).items[0]?.revoked_at).a("string");
  });

  it("decline an appeal by a press, and say how much waits, is in review and was done", async () => {
    const other = await staffed.staff();
    const [user, ...more] = [await given.user(), await given.user(), await given.user()];
    if (!user) throw new Error("there are three");
    for (const one of [user, ...more]) {
      const { id: subject_id } = await strike(one);
      const body = { subject_type: "strike", subject_id, message: "I was quoting somebody else." };
      const { id: appeal_id } = await one.api.ok("createAppeal", { body });
      if (one === user) continue;
      await other.api.ok("handleAppeal", { params: { appeal_id }, body: { action: "claim" } });
    }
    const figures = async () => {
      const { waiting, claimed, decided_last_day: done } = (await staff.api.ok("getStaffQueues")).appeals;
      return [`${waiting} waiting`, `${claimed} in review`, `${done} done in 24 hours`];
    };
    // The oldest may be another spec's.
    const shown = async () => {
      const [waits, oldest, ...more] = await page().locator(".figures > li").allTextContents();
      return oldest?.startsWith("Oldest: ") ? [waits, ...more] : [];
    };
    await open("/staff/appeals");
    const before = await figures();
    await eventually(async () => expect(await shown()).deep.equal(before), SOON);

    await page().click(`[aria-label="Decline the appeal of ${user.username}"]`);
    await page().waitForSelector("dialog >> text=Everything stays as it is.");
    await page().fill("dialog textarea", "It wasn't a quote");
    await page().click("dialog button[type=submit]");

    await page().waitForSelector("text=The appeal is declined.");
    const [appeal] = (await user.api.ok("listMyAppeals")).items;
    expect(appeal).include({ status: "denied", note: "It wasn't a quote" });
    expect((await user.api.ok("listMyStrikes")).items[0]?.revoked_at).equal(null);
    const after = await figures();
    expect(after).not.deep.equal(before);
    await eventually(async () => expect(await shown()).deep.equal(after), SOON);
  });

  it("revoke a strike, and show who revoked it", async () => {
    const user = await given.user();
    await strike(user);
    await open(`/staff/accounts/${user.id}`);
    const strikes = page().locator(".panel:has(h2:text-is('Strikes'))");
    await strikes.locator("[aria-label^='Revoke the strike of']").click();
    await page().click("dialog button[type=submit]");

    await strikes.locator(`text=Revoked by ${staff.username}`).waitFor();
    const params = { account_id: user.id };
    expect((await staff.api.ok("getUser", { params })).live_strikes).equal(0);
    await page().waitForSelector(".log >> text=Revoked a strike");
  });

  it("don't take an appeal that another staff member reviews", async () => {
    const [user, other] = [await given.user(), await staffed.staff()];
    const { id } = await strike(user);
    const message = "I was quoting somebody else.";
    const appeal = await user.api.ok("createAppeal", {
      body: { subject_type: "strike", subject_id: id, message },
    });
    await open("/staff/appeals");
    const row = page().locator(`.queue > li:has-text("${user.username}")`);
    await row.waitFor();
    await other.api.ok("handleAppeal", { params: { appeal_id: appeal.id }, body: { action: "claim" } });

    await row.locator("text=Start review").click();

    await page().waitForSelector("text=Another staff member is reviewing this now.");
    await row.locator(`text=${other.username} is reviewing`).waitFor();
    expect(await row.locator("button").count()).equal(0);
  });

  it("take a support request out of the queue once it is answered, with a note", async () => {
    const subject = "Where is my money";
    await world.api.ok("createSupportRequest", {
      body: { kind: "support", email: "a@example.com", subject, message: "How?" },
    });
    await open("/staff/support");
    const row = page().locator(`.queue > li:has-text("${subject}")`);
    await row.focus();
    await page().keyboard.press("Enter");
    await row.locator("text=a@example.com").waitFor();
    await page().keyboard.press("a");
    await page().fill("dialog textarea", "Told how");
    await page().click("dialog >> text=Mark answered");

    await row.waitFor({ state: "detached" });
    const answered = (await staff.api.ok("listSupportRequests", { query: { status: "answered" } })).items;
    expect(answered.find((one) => one.subject === subject)?.note).equal("Told how");
  });

  it("find an account by its address, ban it with a reason, and show who did it and why", async () => {
    const user = await given.user();
    await open("/staff/accounts");
    await page().fill("input[name=q]", `${user.username}@example.com`);
    await page().click(`.rows a:has-text("${user.username}")`);
    await page().waitForSelector("text=Never banned.");

    await page().click("text=Ban account");
    await page().fill("dialog input[name=reason]", "Insults everybody");
    await page().click("dialog >> text=Ban account");

    await page().waitForSelector(".panel:has-text('Bans') >> text=Insults everybody");
    await page().waitForSelector(`.panel:has-text('Bans') >> text=By ${staff.username}`);
    await page().waitForSelector(".log >> text=Banned an account");
    const params = { account_id: user.id };
    expect((await staff.api.ok("getUser", { params })).ban?.reason).equal("Insults everybody");
    await page().click("text=Lift ban");
    await page().click("dialog >> text=Lift ban");
    await page().waitForSelector(`.panel:has-text('Bans') >> text=Lifted by ${staff.username}`);
  });

  it("list what was opened in the audit log, by staff member and account", async () => {
    const [user, other] = [await given.user(), await staffed.staff()];
    await other.api.ok("getUser", { params: { account_id: user.id } });
    await open("/staff/audit");
    await page().fill("input[name=staff]", other.username);
    await page().fill("input[name=about]", user.username);
    await page().click("main button:text-is('Show')");

    await eventually(async () => expect(await page().locator(".log > li").count()).equal(1), SOON);
    await page().waitForSelector(`.log > li:has-text("${other.username}"):has-text("an account")`);
    await page().fill("input[name=staff]", "nobody_has_this");
    await page().click("main button:text-is('Show')");
    await page().waitForSelector("text=No account is called nobody_has_this.");
  });
});
