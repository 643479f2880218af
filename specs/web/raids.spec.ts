// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { raidMembersCollection } from "../../store/mongo/raids/raid-members.ts";
import { RAID_ARRIVAL_MS, RAID_COUNTDOWN_MS } from "../../store/mongo/raids/raids.ts";
import { setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang } from "./in-page.mjs";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

const GONE_WITHIN_MS = 1_200;
const SOON = { withinMs: 5_000, everyMs: 20 };

describe("raids on the watch page", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  let source: Channel;
  let target: Channel;
  let ada: Person;
  let page: Page;

  before(async () => {
    await servePublicFiles(browser.context, world.baseUrl);
    // The service's clock is ahead of the browser's.
    world.clock.move(3_600_000);
  });
  beforeEach(async () => {
    [source, target] = await Promise.all([given.liveChannel(), given.liveChannel()]);
    ada = await given.user();
    page = await browser.context.newPage();
  });
  afterEach(async () => {
    await browser.context.setOffline(false);
    await page.close();
    await browser.context.clearCookies();
  });

  async function open(reader: Person | null): Promise<void> {
    if (reader) await signIn(browser.context, world.baseUrl, reader);
    await page.goto(`${world.baseUrl}/${source.owner.username}`);
    await page.waitForSelector("text=No messages yet.");
  }
  const begin = (message?: string) =>
    source.owner.api.ok("createRaid", {
      body: { target_user_id: target.owner.id, ...(message !== undefined && { message }) },
    });
  const depart = () => world.clock.move(RAID_COUNTDOWN_MS);
  const says = (text: string) => page.waitForSelector(`.notice-bar:has-text("${text}")`);
  const place = () => new URL(page.url()).pathname;
  /** For longer than anybody takes to go along. */
  async function staysHere(): Promise<void> {
    const from = Number(await page.evaluate("performance.now()"));
    await eventually(async () =>
      expect(await page.evaluate("performance.now()")).above(from + GONE_WITHIN_MS),
    );
    expect(place()).equal(`/${source.owner.username}`);
  }
  const arrivesAt = ({ owner }: Channel) =>
    eventually(() => expect(place()).equal(`/${owner.username}`), SOON);

  it("takes a reader along when the raid departs, without another document, and leads back", async () => {
    await open(ada);
    await page.evaluate("globalThis.sameDocument = true");
    const raid = await begin("Be <b>kind</b>!");
    await says(`${source.owner.username} is raiding ${target.owner.username}`);
    await says("Be <b>kind</b>!");
    await says("You're joining the raid.");
    expect(await page.textContent("[role=timer]")).match(/^Leaving in 1:[23]\d$/);
    // The service has written down who is there.
    await eventually(async () => expect(await world.core.raids.optedOut(raid.id)).length(0), SOON);
    depart();
    await arrivesAt(target);
    await says(`You joined a raid from ${source.owner.username}.`);
    expect(await page.evaluate("globalThis.sameDocument")).equal(true);
    await page.waitForSelector(".log");
    // The service has written down who came: later arrivals don't count.
    await eventually(async () => {
      const came = { _id: `${raid.id}:${ada.id}`, arrivedAt: { $ne: null } };
      expect(await raidMembersCollection.in(world.core.mongo.db).countDocuments(came)).equal(1);
    }, SOON);
    world.clock.move(RAID_ARRIVAL_MS);
    await eventually(async () => {
      const { items } = await source.owner.api.ok("listMyRaids");
      expect(items[0]).include({ status: "completed", viewer_count: 1 });
    }, SOON);
    await page.click("text=Go back");
    await arrivesAt(source);
    expect(await page.locator(".notice-bar").count()).equal(0);
  });

  it("leaves a reader who stays, also after a reload, and shows where the raid went", async () => {
    await open(ada);
    const raid = await begin();
    await page.click("text=Stay here");
    await says("You're staying here.");
    await eventually(
      async () => expect([...(await world.core.raids.optedOut(raid.id))]).deep.equal([ada.id]),
      SOON,
    );
    await page.reload();
    await says("You're staying here.");
    depart();
    await says(`The raid went to ${target.owner.username} with 0 viewers.`);
    await staysHere();
    await page.click(`text=Watch ${target.owner.username}`);
    await arrivesAt(target);
    expect(await page.locator("text=You joined a raid").count()).equal(0);
  });

  it("lets a reader who stays change their mind", async () => {
    await open(ada);
    const raid = await begin();
    await page.click("text=Stay here");
    await page.click("text=Join raid");
    await says("You're joining the raid.");
    await eventually(async () => expect((await world.core.raids.optedOut(raid.id)).size).equal(0), SOON);
    depart();
    await arrivesAt(target);
  });

  it("takes readers without an account along, after a reload during the countdown", async () => {
    await begin();
    await open(null);
    await says("You're joining the raid.");
    await page.reload();
    await says("You're joining the raid.");
    depart();
    await arrivesAt(target);
  });

  it("takes a reader along whose connection was lost when the raid departed", async () => {
    await open(ada);
    await begin();
    await says("You're joining the raid.");
    await browser.context.setOffline(true);
    await page.waitForSelector("text=You are offline.");
    depart();
    await eventually(async () => {
      const { items } = await source.owner.api.ok("listMyRaids");
      expect(items[0]?.status).equal("active");
    }, SOON);
    expect(place()).equal(`/${source.owner.username}`);
    await browser.context.setOffline(false);
    await arrivesAt(target);
  });

  it("says that a raid was cancelled, and takes nobody anywhere", async () => {
    await open(ada);
    const { id: raid_id } = await begin();
    await says("You're joining the raid.");
    await source.owner.api.ok("cancelRaid", { params: { raid_id } });
    await says(`The raid to ${target.owner.username} was cancelled. You're staying here.`);
    await page.click(".notice-bar >> text=Close");
    expect(await page.locator(".notice-bar").count()).equal(0);
  });

  it("leaves those who run the channel, and readers who come after the raid has departed", async () => {
    await open(source.owner);
    await begin();
    await says("You run this channel, so you stay here.");
    depart();
    await says("The raid went to");
    await staysHere();
    await open(ada);
    await says("The raid went to");
    await staysHere();
  });

  it("says in the target's chat who arrives, with the raid's message", async () => {
    await page.goto(`${world.baseUrl}/${target.owner.username}`);
    await page.waitForSelector("text=No messages yet.");
    await begin("Be kind!");
    depart();
    await page.waitForSelector(`.line:has-text("${source.owner.username} raids with 0 viewers: Be kind!")`);
  });

  it("passes axe and fits a phone, in light and dark", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open(ada);
    await begin("y".repeat(200));
    await says("You're joining the raid.");
    await page.evaluate(axe.source);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
    }
  });
});
