// @waits: for a browser.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Person } from "../support/given-channels.ts";
import { givenStaff } from "../support/given-staff.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang } from "./in-page.mjs";
import { signIn } from "./signed-in.ts";

const HOSTILE = "<b>Insults</b> & שלום";
const MESSAGE = "I was quoting somebody else, who said so.";

describe("strikes, appeals and support", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let staff: Person;
  let ada: Person;
  let page: Page;
  before(async () => {
    staff = await givenStaff(world, given).staff();
  });
  beforeEach(async () => {
    ada = await given.user();
    page = await browser.context.newPage();
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(world.baseUrl + path);
    await page.waitForSelector("main h1");
    await page.waitForSelector("main [aria-busy=true]", { state: "detached" });
  };
  async function openStanding(): Promise<void> {
    await signIn(browser.context, world.baseUrl, ada);
    await open("/settings/standing");
  }
  const strike = (reason = HOSTILE) =>
    staff.api.ok("giveStrike", { params: { account_id: ada.id }, body: { reason } });
  async function decide(decision: "grant" | "deny", note: string): Promise<void> {
    const { items } = await staff.api.ok("listAppeals", { query: { per_page: 100 } });
    const params = { appeal_id: items.find(({ user }) => user?.id === ada.id)?.id ?? "" };
    await staff.api.ok("handleAppeal", { params, body: { action: "claim" } });
    await staff.api.ok("handleAppeal", { params, body: { decision, note } });
  }
  /** The report case of a message of the user in a new channel, claimed by the staff. */
  async function claimedCase(reporter: Person): Promise<{ params: { report_id: string }; channel: string }> {
    const channel = await given.channel();
    const staffed = givenStaff(world, given);
    const target_id = await staffed.message(channel, ada, "Fools");
    const body = { target_type: "chat_message", target_id, reason_code: "hate", details: HOSTILE };
    await reporter.api.ok("createReport", { body });
    const params = { report_id: await staffed.caseOf(target_id) };
    await staff.api.ok("handleReport", { params, body: { action: "claim" } });
    return { params, channel: channel.owner.username };
  }

  it("shows a strike when it is given, sends an appeal, and shows the answer when staff decide", async () => {
    await openStanding();
    await page.waitForSelector("text=You have no strikes.");
    await strike();
    await page.waitForSelector(`.rows li:has-text("${HOSTILE}"):has-text("counts until")`);
    await page.waitForSelector("text=1 of 3 strikes");

    await page.click("button[aria-label^='Appeal the strike']");
    await page.fill("dialog [name=message]", MESSAGE);
    await page.click("dialog [type=submit]");
    await page.waitForSelector(".toast:has-text('Your appeal was sent.')");
    await page.waitForSelector(`.rows li:has-text("${MESSAGE}"):has-text("Waiting for staff")`);
    expect(await page.locator("button[aria-label^='Appeal the strike']").count(), "one at a time").equal(0);

    await decide("grant", HOSTILE);
    await page.waitForSelector(`.rows li:has-text("Accepted") blockquote:has-text("${HOSTILE}")`);
    await page.waitForSelector(".rows li:has-text('removed')");
    await page.waitForSelector("text=0 of 3 strikes");
  });

  it("lets a declined appeal be repeated, and says when one waits already", async () => {
    const { id: subject_id } = await strike();
    await openStanding();
    await page.click("button[aria-label^='Appeal the strike']");
    await page.fill("dialog [name=message]", MESSAGE);
    // As from another tab.
    const body = { subject_type: "strike", subject_id, message: MESSAGE };
    await ada.api.ok("createAppeal", { body });
    await page.click("dialog [type=submit]");
    await page.waitForSelector("dialog [role=alert]");
    expect(await page.inputValue("dialog [name=message]"), "what was typed stays").equal(MESSAGE);
    await page.click("dialog button:text('Cancel')");
    await decide("deny", "It stays.");
    await page.waitForSelector(".rows li:has-text('Declined'):has-text('It stays.')");
    expect(await page.locator("button[aria-label^='Appeal the strike']").count()).equal(1);
  });

  it("tells chat bans of the channel from those of staff, which can be appealed", async () => {
    const { owner, at } = await given.channel();
    const own = { ...at, user_id: ada.id };
    await owner.api.ok("banUser", { params: own, body: { reason: HOSTILE } });
    const { params, channel } = await claimedCase(await given.user());
    const measures = [{ type: "chat_ban", reason: "Hate", duration_seconds: 86_400 }];
    await openStanding();
    const row = (name: string) => page.locator(`.rows li:has-text("${name}")`);
    await row(owner.username).waitFor();
    await staff.api.ok("handleReport", { params, body: { action: "act", measures } });
    await row(channel).waitFor();
    expect(await row(owner.username).textContent())
      .include("Set by the channel.")
      .and.include(HOSTILE);
    expect(await row(owner.username).locator("button").count()).equal(0);
    await row(channel).locator("button").click();
    await page.fill("dialog [name=message]", MESSAGE);
    await page.click("dialog [type=submit]");
    await page.waitForSelector(".rows li:has-text('Chat timeout'):has-text('Waiting for staff')");
    await decide("grant", "You were right.");
    await row(channel).waitFor({ state: "detached" });
  });

  it("shows what came of a report when staff decide", async () => {
    const author = ada;
    const reporter = await given.user();
    const { params } = await claimedCase(reporter);
    ada = reporter;
    await openStanding();
    await page.waitForSelector(
      `.rows li:has-text("A chat message · Hate"):has-text("${HOSTILE}"):has-text("Staff are looking at it")`,
    );
    const measures = [{ type: "warning", reason: "Be kind" }];
    await staff.api.ok("handleReport", { params, body: { action: "act", measures } });
    await page.waitForSelector(".rows li:has-text('Staff acted on it')");
    expect(await page.textContent("main")).not.include(author.username);
  });

  it("sends a request for support from strangers, and a takedown with all that it needs from users", async () => {
    await open("/");
    await page.click(".footer a:text('Support')");
    await page.fill("[name=email]", "ada@example.com");
    await page.fill("[name=subject]", HOSTILE);
    await page.fill("[name=message]", "Where is my account?");
    await page.click("main [type=submit]");
    await page.waitForSelector("[role=status]:has-text('reply to ada@example.com.')");

    await signIn(browser.context, world.baseUrl, ada);
    await open("/support");
    await eventually(async () =>
      expect(await page.inputValue("[name=email]")).equal(`${ada.username}@example.com`),
    );
    await page.check("label:text('My work is used without permission')");
    await page.fill("[name=subject]", "My song");
    await page.fill("[name=message]", "It is mine.");
    await page.fill("[name=work]", "A Song of Compilers");
    await page.fill("[name=urls]", "not an address");
    await page.check("[name=good_faith]");
    await page.fill("[name=signature]", "Ada L.");
    await page.click("main [type=submit]");
    await page.waitForSelector(".fault:has-text('This link')");
    await page.fill("[name=urls]", "https://live.example/a\n\nhttps://live.example/b");
    await page.click("main [type=submit]");
    await page.waitForSelector("[role=status]:has-text('Your message was sent')");

    const { items } = await staff.api.ok("listSupportRequests", { query: { per_page: 100 } });
    const [asked, takedown] = [HOSTILE, "My song"].map((subject) =>
      items.find((one) => one.subject === subject),
    );
    expect([asked?.kind, asked?.user_id]).deep.equal(["support", null]);
    expect([takedown?.kind, takedown?.user_id]).deep.equal(["dmca", ada.id]);
    expect(takedown?.dmca?.urls).deep.equal(["https://live.example/a", "https://live.example/b"]);
  });

  it("passes axe in light and dark, and fits a phone in a language a third longer", async () => {
    await strike("x".repeat(200));
    const { owner, at } = await given.channel();
    await owner.api.ok("banUser", { params: { ...at, user_id: ada.id }, body: { reason: HOSTILE } });
    await ada.api.ok("createReport", {
      body: { target_type: "user", target_id: owner.id, reason_code: "spam", details: HOSTILE },
    });
    await openStanding();
    await page.click("button[aria-label^='Appeal the strike']");
    await page.fill("dialog [name=message]", MESSAGE);
    await page.click("dialog [type=submit]");
    // A report waits for staff as well.
    await page.waitForSelector(`.rows li:has-text("${MESSAGE}"):has-text("Waiting for staff")`);
    await decide("deny", HOSTILE);
    const found: string[] = [];
    for (const path of ["/settings/standing", "/support"]) {
      for (const [colorScheme, width] of [
        ["light", 1_280],
        ["dark", 360],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await open(path);
        if (path === "/support") await page.check("[name=kind] >> nth=1");
        await page.evaluate(axe.source);
        const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
        found.push(...faults.map((fault) => `${path} ${colorScheme}: ${fault}`));
      }
      await open(`${path}?lang=pseudo`);
      found.push(...(await page.evaluate(overhang)).map((fault) => `${path}?lang=pseudo: ${fault}`));
    }
    expect(found).deep.equal([]);
  });
});
