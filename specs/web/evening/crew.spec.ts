// @waits: for browsers, and a broadcast in real time.
import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../../support/eventually.ts";
import { operate } from "../../support/operate.ts";
import { openOverlay } from "../overlays/open-overlay.ts";
import { type Evening, killOne, setUpEvening } from "./set-up-evening.ts";
import type { Viewer } from "./viewer.ts";

const PATIENT = { withinMs: 60_000, everyMs: 100 };

/** One evening: each step goes on from the one before. Everybody uses pages alone, the moderator and staff by the keyboard. */
describe("an evening of a creator, a viewer and a moderator with browsers of their own", function () {
  this.timeout(240_000);
  this.bail(true);
  let service: Evening["service"];
  let studio: Evening["studio"];
  let guest: Evening["guest"];
  let publish: Evening["publish"];
  let enter: Evening["enter"];
  let creator: Viewer;
  let viewer: Viewer;
  let moderator: Viewer;
  let crew: Viewer[] = [];
  let overlay: { page: Page; shown: string[] };

  setUpEvening(async (evening) => {
    ({ service, studio, guest, publish, enter } = evening);
    [creator, viewer, moderator] = await Promise.all([
      enter(studio.username),
      enter("ada_l"),
      enter("grace_h"),
    ]);
    crew = [creator, viewer, moderator];
  });

  const dialog = (text: string): string => `dialog [type=submit]:has-text("${text}")`;
  const desk = (): string => `/console/${studio.username}/moderation`;
  const shown = (text: string) => overlay.shown.filter((one) => one.includes(text));
  /** Once it is on the overlay: how often it was. */
  const isShown = (text: string) =>
    eventually(() => expect(shown(text)).length.above(0), { ...PATIENT, what: `the alert “${text}”` });

  it("begins with accounts, and an overlay whose link the creator copies once", async () => {
    await creator.logIn(studio.password);
    for (const one of [viewer, moderator]) await one.signUp();
    const { page } = creator;
    await creator.open("/console/overlays");
    await page.click("text=Add overlay");
    await page.fill("[name=name]", "Alerts");
    await page.fill("input[type=range] >> nth=0", "2");
    await page.click(".overlay-form [type=submit]");
    await page.click("[aria-label='Show link']");
    const address = (await page.textContent("dialog code")) ?? "";
    overlay = await openOverlay(creator.context, address);
    await overlay.page.waitForSelector(".overlay");
    await page.click("dialog >> text=Done");
  });

  it("goes live while the creator's page says how far it is", async () => {
    const { page } = creator;
    await creator.open("/console");
    await page.waitForSelector(".state > [role=status]:text-is('Waiting for your encoder')");
    publish(studio.streamKey);
    publish(guest.streamKey);
    await page.waitForSelector(".state > [role=status]:text-is('Live')");
    await page.fill("[name=name]", "An evening <b>by pages alone</b>");
    await page.click("text=Save changes");
    await creator.told("Saved.");
    await creator.watches();
    await viewer.open(`/${studio.username}`);
    await viewer.watches();
    await viewer.page.waitForSelector(".channel-header:has-text('An evening <b>by pages alone</b>')");
  });

  it("shows each follow once on the overlay and in the creator's activity", async () => {
    await viewer.page.click(`[aria-label="Follow ${studio.username}"]`);
    await isShown("ada_l followed");
    await creator.page.waitForSelector(".happened >> text=ada_l");
  });

  it("makes a moderator, who finds the desk from the console", async () => {
    const { page } = creator;
    await creator.open("/console/roles");
    const moderators = page.locator(".panel:has(h2:text-is('Moderators'))");
    await moderators.locator("input").fill("grace_h");
    await moderators.locator("button:text('Add')").click();
    await creator.told("grace_h is a moderator now.");
    await creator.open("/console/chat");
    await page.fill("[name=term]", "followers");
    await page.selectOption("select:near([name=term])", "hold");
    await page.click("button:text-is('Add')");
    await page.waitForSelector("[aria-label='Delete “followers”']");
    await creator.open("/console");
    await moderator.open("/console/moderated");
    await moderator.page.focus(`a[href$="${desk()}"]`);
    await moderator.page.keyboard.press("Enter");
    await moderator.page.waitForSelector(".held");
    // A second and more before the next message, as the room asks of everybody.
    await viewer.say("cheap followers here");
  });

  it("decides held messages by keys", async () => {
    const { page } = moderator;
    await page.waitForSelector(".held .request:has-text('cheap followers')");
    await page.focus(".held .request");
    await page.keyboard.press("d");
    await page.waitForSelector(".held .request", { state: "detached" });
    await viewer.page.waitForSelector("text=/didn't approve|not approved|wasn't approved/i");
    await viewer.say("I thank all followers");
    await page.waitForSelector(".held .request:has-text('I thank all')");
    await page.focus(".held .request");
    await page.keyboard.press("a");
    await creator.hears("I thank all followers");
    expect(await viewer.page.locator(".line:has-text('cheap followers')").count()).equal(0);
  });

  it("goes on while a worker of each kind is killed, and nobody reloads", async () => {
    for (const { loads } of crew) loads.reset();
    for (const kind of ["api", "realtime", "jobs"] as const) killOne(service, kind);
    await viewer.say("did you feel that?");
    for (const { page } of [creator, moderator])
      await page.waitForSelector(".line:has-text('did you feel that?')");
    for (const { loads } of crew) expect(loads.count()).equal(0);
  });

  it("opens a prediction, shows its pool, and pays out", async () => {
    const { page } = creator;
    await page.click(".of-prediction button:has-text('New prediction')");
    await page.fill("dialog [name=title]", "Does it compile?");
    await page.fill("dialog [aria-label='Outcome 1']", "Yes");
    await page.fill("dialog [aria-label='Outcome 2']", "No");
    await page.click(dialog("Start prediction"));
    await viewer.page.click(".outcome >> text=Yes");
    await viewer.page.click(".bet >> text=Half");
    await viewer.page.click(".bet [type=submit]");
    await page.waitForSelector(".of-prediction :text('from 1 viewer')");
    await page.click(".of-prediction button:has-text('Lock')");
    await page.click(".of-prediction button:has-text('Resolve')");
    await page.check("dialog label:has-text('Yes') input");
    await page.click(dialog("Pay out"));
    await viewer.page.waitForSelector(".prediction .own:has-text('You won')");
  });

  it("asks a poll, and ends it with the vote", async () => {
    const { page } = creator;
    await page.click("text=New poll");
    await page.fill("dialog [name=question]", "Which boss?");
    await page.fill("dialog [aria-label='Option 1']", "The old one");
    await page.fill("dialog [aria-label='Option 2']", "The new one");
    await page.click(dialog("Start poll"));
    await viewer.page.click(".poll button:has-text('The old one')");
    await page.waitForSelector(".of-poll li:has-text('The old one') >> text=100% (1)");
    await page.click("text=End poll");
    await viewer.page.waitForSelector(".poll [data-winner=true]:has-text('The old one')");
  });

  it("marks a moment", async () => {
    await creator.page.fill("[name=marker]", "The boss falls");
    await creator.page.keyboard.press("Enter");
    await creator.page.waitForSelector(".panel:has-text('Markers') .rows >> text=The boss falls");
  });

  it("redeems a reward, which the creator fulfils from the queue", async () => {
    const { page } = creator;
    await creator.open("/console/rewards");
    await page.click("text=Add reward");
    await page.fill("dialog [name=title]", "Hydrate");
    await page.fill("dialog [name=cost]", "10");
    await page.click("dialog [type=submit]");
    await viewer.page.click(".points-bar .balance");
    await viewer.page.click(".reward:has-text('Hydrate')");
    await viewer.page.click(".redeem [type=submit]");
    await page.focus("[aria-label^='Fulfil “Hydrate”']");
    await page.keyboard.press("Enter");
    await viewer.told("“Hydrate” was fulfilled.");
    await creator.open("/console");
  });

  it("thanks for a subscription and a tip on the overlay, once each", async () => {
    const { page } = viewer;
    await page.click("button:text-is('Subscribe')");
    await page.click("dialog [type=submit]");
    await page.click("button:text-is('Pay')");
    await isShown("subscribed");
    await page.click("button:text-is('Tip')");
    await page.click("dialog button:has-text('$5')");
    await page.click("dialog [type=submit]");
    await page.click("button:text-is('Pay')");
    await isShown("tipped $5.00");
    await viewer.watches();
    viewer.loads.reset();
  });

  it("times the viewer out by keys, and lets them back", async () => {
    const { page } = moderator;
    await viewer.say("one line too many");
    await page.waitForSelector(".talk .line:has-text('one line too many')");
    await page.focus(".keys-of");
    await page.keyboard.press("c");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("t");
    await page.waitForSelector('dialog:has-text("Time out ada_l?")');
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog", { state: "detached" });
    await viewer.page.waitForSelector("text=/timed out/i");
    await page.focus(".restrictions button:text-is('Timeouts')");
    await page.keyboard.press("Enter");
    await page.focus("[aria-label='End the timeout of ada_l']");
    await page.keyboard.press("Enter");
    await page.focus(dialog("End timeout"));
    await page.keyboard.press("Enter");
    await page.waitForSelector(".restrictions >> text=No one is timed out.");
    await viewer.say("thank you");
    await creator.hears("thank you");
  });

  it("shows in plots, tables and files what REST says", async () => {
    const { page } = creator;
    const { client, streamId } = studio;
    // The viewer earns points meanwhile.
    await eventually(async () => {
      await creator.open("/console/analytics");
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.click('[aria-label="Figures: download as CSV"]'),
      ]);
      const rows = readFileSync(await file.path(), "utf8").split("\r\n");
      const { follows, revenue, subscriptions, points } = await client.call("getCreatorAnalytics");
      expect([follows.gained, revenue.tip_cents, subscriptions.new_in_period]).deep.equal([1, 500, 1]);
      expect(rows).include.members([
        "Followers gained,1,0,1",
        "Tips,5,0,5",
        "New subscriptions,1,0,1",
        `Points earned by viewers,${points.earned},0,${points.earned}`,
        `Points spent by viewers,${points.spent},0,${points.spent}`,
      ]);
    }, PATIENT);
    await creator.open("/console");
    const plot = page.locator(".broadcast-plots .plot:has-text('Chat messages a minute')");
    await plot.locator("summary").click();
    await eventually(async () => {
      const { points } = await client.call("getStreamTimeline", { path: { stream_id: streamId } });
      const shown = await plot.locator("tbody td:last-child").allTextContents();
      expect(shown.slice(0, -1)).deep.equal(points.map(({ messages }) => String(messages)).slice(0, -1));
    }, PATIENT);
  });

  it("has the viewer's report decided by staff by keys, and tells both of it", async () => {
    const { page } = viewer;
    await page.click(".channel-header >> text=Report");
    await page.check("dialog label:has-text('Something else') input");
    await page.fill("dialog textarea", "too good to be true");
    await page.click("text=Send report");
    await page.waitForSelector(".toasts:has-text('Your report was sent to the staff.')");
    const staff = await enter("alan_t");
    await staff.signUp();
    await staff.setUpTwoFactor();
    await staff.addPasskey();
    await staff.logOut();
    const where = { home: service.env.LIVECORE_HOME ?? "", database: service.env.MONGODB_DATABASE ?? "" };
    const { code, stderr } = await operate("deploy/commands/staff", ["grant", "alan_t"], where);
    expect(code, stderr).equal(0);
    await staff.logInByPasskey();
    await staff.open("/staff");
    await staff.page.focus(".queue > li");
    await staff.page.keyboard.press("a");
    await staff.page.focus("dialog input[name=strike]");
    await staff.page.keyboard.press("Space");
    await staff.page.focus("dialog input[name=reason]");
    await staff.page.keyboard.type("Promise less");
    await staff.page.keyboard.press("Enter");
    await staff.page.waitForSelector(".queue > li", { state: "detached" });
    await viewer.open("/settings/standing");
    await viewer.page.waitForSelector("section:has(h2:text-is('Your reports')) >> text=Staff acted on it");
    await creator.open("/settings/standing");
    await creator.page.waitForSelector("main >> text=Promise less");
    await creator.open("/console");
    await viewer.open(`/${studio.username}`);
    await viewer.watches();
    viewer.loads.reset();
  });

  it("ends with a raid that takes the viewer along", async () => {
    const { page } = creator;
    await page.click("text=Raid a channel");
    await page.focus("dialog [role=combobox]");
    await page.keyboard.type(guest.username);
    await page.waitForSelector("dialog [role=option]");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.click(dialog("Start raid"));
    await page.waitForSelector(".of-raid button:text('Raid now'):not([aria-disabled=true])");
    await page.click(".of-raid button:text('Raid now')");
    await viewer.page.waitForURL(`**/${guest.username}`);
    await viewer.watches();
    expect(viewer.loads.count()).equal(0);
  });

  it("has shown nothing twice on the overlay", () => {
    expect(overlay.shown.length).equal(new Set(overlay.shown).size);
    expect(shown("ada_l followed")).length(1);
    expect(shown("tipped $5.00")).length(1);
    expect(shown("subscribed")).length(1);
  });
});
