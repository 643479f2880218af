// @waits: for a browser.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { servePublicFiles } from "../public-files.ts";
import { faultsOf, openConsole } from "./open-console.ts";

const UNAVAILABLE = { code: "unavailable", message: "", details: { retry_after_ms: 1 }, request_id: "spec" };

describe("the prediction panel of the console", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let bob: Person;
  let page: Page;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    channel = await given.channel();
    [ada, bob] = await Promise.all([given.followerOf(channel), given.followerOf(channel)]);
    page = await browser.context.newPage();
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
  });

  const open = () => openConsole(page, { context: browser.context, baseUrl: world.baseUrl }, channel);
  const panel = (selector: string) => page.waitForSelector(`.of-prediction ${selector}`);
  const press = (text: string) => page.click(`.of-prediction button:has-text("${text}")`);
  const confirm = (text: string) => page.click(`dialog [type=submit]:has-text("${text}")`);
  const all = async () => (await world.api.ok("listPredictions", { params: channel.at })).items;
  async function made() {
    const body = { title: "Will it?", outcomes: [{ title: "Yes" }, { title: "No" }], duration_seconds: 600 };
    return channel.owner.api.ok("createPrediction", { params: channel.at, body });
  }
  async function write(title: string, outcomes: string[]): Promise<void> {
    await press("New prediction");
    await page.fill("dialog [name=title]", title);
    for (const [place, outcome] of outcomes.entries())
      await page.fill(`dialog [aria-label='Outcome ${place + 1}']`, outcome);
  }
  /** On the outcome at that place. */
  async function bet(who: Person, place: number, amount: number): Promise<void> {
    const [{ id, outcomes } = { id: "", outcomes: [] }] = await all();
    const body = { outcome_id: outcomes[place]?.id ?? "", amount };
    await who.api.ok("placeBet", { params: { prediction_id: id }, body });
  }

  it("opens a prediction, shows its pools as viewers bet, locks it and pays out", async () => {
    await open();
    await write("Will it <b>work</b>?", ["Yes", "No"]);
    await page.click("dialog >> text=/^Add$/");
    await page.keyboard.type("Maybe");
    await page.click("dialog [aria-label='Remove Outcome 3']");
    await page.selectOption("dialog select", { label: "5 minutes" });
    await confirm("Start prediction");
    await panel("h3:text-is('Will it <b>work</b>?')");
    await panel(":text('Closes in') >> text=/^[45]:\\d\\d$/");
    await bet(ada, 0, 100);
    await bet(bob, 1, 60);
    await panel(":text('160 points from 2 viewers')");
    await press("Lock");
    await panel(":text('Betting is closed')");
    await press("Resolve");
    await page.waitForSelector("dialog label:has-text('Yes') >> text=Pays 160 points to 1 viewer.");
    await page.check("dialog label:has-text('Yes') input");
    await confirm("Pay out");
    await panel(":text('“Yes” won. Pays 160 points to 1 viewer.')");
    await eventually(async () => {
      const { points } = await ada.api.ok("getMyStanding", { params: { username: channel.owner.username } });
      expect(points?.balance).equal(360);
    });
  });

  it("starts the last prediction again with one press, once", async () => {
    await open();
    await write("Will it?", ["Yes", "No"]);
    await page.selectOption("dialog select", { label: "10 minutes" });
    await confirm("Start prediction");
    await panel(".outcomes");
    const [{ id } = { id: "" }] = await all();
    await channel.owner.api.ok("cancelPrediction", { params: { prediction_id: id } });
    await page.route("**/predictions", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.fetch();
      await route.fulfill({ status: 503, json: UNAVAILABLE });
    });
    await page.dblclick(".of-prediction button:has-text('Start again: Will it?')");
    await panel(".outcomes li:has-text('Yes') >> text=0 points");
    const found = await all();
    expect(found.map(({ status }) => status)).deep.equal(["active", "cancelled"]);
    expect(found[0]?.outcomes.map(({ title }) => title)).deep.equal(["Yes", "No"]);
    const [{ created_at, locks_at } = { created_at: "", locks_at: "" }] = found;
    expect(Date.parse(locks_at ?? "") - Date.parse(created_at)).equal(600_000);
  });

  it("says what a cancelled prediction pays back, and keeps one that isn't cancelled", async () => {
    await open();
    await made();
    await bet(ada, 0, 120);
    await panel(":text('120 points from 1 viewer')");
    await press("Cancel prediction");
    await page.waitForSelector("dialog >> text=120 points go back to viewers.");
    expect(await faultsOf(page)).deep.equal([]);
    await page.click("dialog >> text=Keep it");
    expect((await all())[0]?.status).equal("active");
    await press("Cancel prediction");
    await confirm("Cancel prediction");
    await panel(":text('Prediction cancelled. 120 points go back to viewers.')");
    expect((await all())[0]?.status).equal("cancelled");
  });

  it("shows what a moderator does at once, and closes the dialog that it makes pointless", async () => {
    const moderator = await given.moderatorOf(channel);
    await open();
    const { id, outcomes } = await made();
    await press("Resolve");
    await page.waitForSelector("dialog");
    const [, no] = outcomes;
    const params = { prediction_id: id };
    await moderator.api.ok("lockPrediction", { params });
    await panel(":text('Betting is closed')");
    await moderator.api.ok("resolvePrediction", { params, body: { outcome_id: no?.id ?? "" } });
    await panel(":text('“No” won. Nobody has bet.')");
    expect(await page.locator("dialog").count()).equal(0);
  });
});
