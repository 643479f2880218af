// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { StreamActivity, StreamTimeline } from "../../../contract/wire.ts";
import { RAID_HOLD_MS } from "../../../store/mongo/raids/raids.ts";
import { givenBilling } from "../../support/billing.ts";
import { keepComplaints, setUpChromium } from "../../support/chromium.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { axeFaults, overhang } from "../in-page.mjs";
import { signIn } from "../signed-in.ts";

const SOON = { withinMs: 10_000, everyMs: 20 };
const DESKTOP = { width: 1_280, height: 900 };

describe("what happens on a channel, in the console", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  let billing: ReturnType<typeof givenBilling>;
  let channel: Channel;
  let fan: Person;
  let page: Page;
  const complaints: string[] = [];

  before(() => {
    billing = givenBilling(world);
  });
  beforeEach(async () => {
    channel = await given.channel();
    fan = await given.followerOf(channel);
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
    await page.setViewportSize(DESKTOP);
    await signIn(browser.context, world.baseUrl, channel.owner);
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  async function open(): Promise<void> {
    await page.goto(`${world.baseUrl}/console`);
    await page.waitForSelector(`.happened >> text=${fan.username}`);
  }
  async function pay(who: Person, operation: "tip" | "subscription" | Person): Promise<void> {
    const { id } = channel.owner;
    const { checkout_url } = await (operation === "tip"
      ? who.api.ok("createTipCheckout", {
          body: { to_user_id: id, amount_cents: 750, currency: "USD", message: "For the shader" },
        })
      : who.api.ok("createSubscriptionCheckout", {
          body: {
            channel_user_id: id,
            tier: 2,
            ...(operation !== "subscription" && { gift_to_user_id: operation.id }),
          },
        }));
    await billing.press(checkout_url, "pay");
  }
  const listed = async (kind?: StreamActivity["kind"]) =>
    (await channel.owner.api.ok("listStreamActivity", { params: channel.at, query: kind ? { kind } : {} }))
      .items;
  const rows = () => page.locator(".happened > li");
  const kinds = () => rows().evaluateAll((all) => all.map((row) => row.getAttribute("data-kind")));
  const timeline = (): Promise<StreamTimeline> =>
    channel.owner.api.ok("getStreamTimeline", { params: channel.at });
  /** The values of a plot, as its table has them. */
  async function valuesOf(title: string): Promise<string[]> {
    const plot = page.locator(".plot", { hasText: title });
    if ((await plot.locator("table").count()) === 0) await plot.locator("summary").click();
    await plot.locator("table").waitFor();
    return plot.locator("tbody td:last-child").allTextContents();
  }

  it("lists follows, payments and redemptions as they happen, as the service lists them afterwards", async () => {
    await open();
    await pay(fan, "subscription");
    await pay(fan, "tip");
    await page.waitForSelector(".happened >> text=For the shader");
    const latest = await given.followerOf(channel);
    await page.waitForSelector(`.happened >> text=${latest.username}`);
    expect(await kinds()).deep.equal(["follow", "tip", "subscription", "follow"]);
    await page.waitForSelector(".happened >> text=tipped $7.50");
    await page.waitForSelector(".happened >> text=subscribed at tier 2");
    const said = () => page.locator(".happened .what").allTextContents();
    const live = await said();
    await page.reload();
    await page.waitForSelector(".happened >> text=For the shader");
    expect(await said()).deep.equal(live);
    expect((await listed()).map(({ kind }) => kind)).deep.equal(await kinds());
    await page.selectOption(".activity select", "tip");
    await eventually(async () => expect(await kinds()).deep.equal(["tip"]), SOON);
  });

  it("lists gifts, raids and hosts as they happen, as the service lists them afterwards", async () => {
    await given.goLive(channel);
    const [raider, host, friend] = [await given.liveChannel(), await given.channel(), await given.user()];
    await open();
    await pay(fan, friend);
    await page.waitForSelector("[data-kind=gift]");
    const target = { target_user_id: channel.owner.id };
    const raid = await raider.owner.api.ok("createRaid", { body: { ...target, message: "Raiders rule" } });
    world.clock.move(RAID_HOLD_MS);
    await raider.owner.api.ok("startRaid", { params: { raid_id: raid.id } });
    await page.waitForSelector("[data-kind=raid]");
    world.clock.move(1_000);
    await host.owner.api.ok("hostChannel", { body: target });
    await page.waitForSelector("[data-kind=host]");
    const said = () => page.locator(".happened .what").allTextContents();
    const wanted = [
      `${host.owner.username} hosts you`,
      `${raider.owner.username} raided with 0 viewersRaiders rule`,
      `${fan.username} gifted a tier 2 subscription to ${friend.username}`,
      `${fan.username} followed`,
    ];
    expect(await said()).deep.equal(wanted);
    await page.reload();
    await page.waitForSelector("[data-kind=host]");
    expect(await said()).deep.equal(wanted);
  });

  it("fulfils and refunds redemptions that wait, with what the redeemer wrote, and keeps the focus", async () => {
    const body = { title: "Hydrate", cost: 100, requires_input: true };
    const reward = await channel.owner.api.ok("createReward", { body });
    await open();
    const redeem = (user_input: string) =>
      fan.api.ok("redeemReward", { params: { reward_id: reward.id }, body: { user_input } });
    const first = await redeem("Water");
    await page.waitForSelector(".happened >> text=Water");
    await page.click(`[aria-label="Fulfil “Hydrate” of ${fan.username}"]`);
    await page.waitForSelector("[data-kind=redemption] >> text=Fulfilled");
    await eventually(async () => {
      expect(await page.evaluate("document.activeElement.dataset.kind")).equal("redemption");
    }, SOON);
    const second = await redeem("Tea");
    await page.waitForSelector(".happened >> text=Tea");
    await page.click(`[aria-label="Refund “Hydrate” of ${fan.username}"]`);
    await page.waitForSelector("[data-kind=redemption] >> text=Refunded");
    const statuses = new Map(
      (await listed("redemption")).map(({ redemption }) => [redemption?.id, redemption?.status]),
    );
    expect(statuses).deep.equal(
      new Map([
        [second.id, "refunded"],
        [first.id, "fulfilled"],
      ]),
    );
  });

  it("shows what happened while its socket was lost", async () => {
    await open();
    await page.context().setOffline(true);
    const latest = await given.followerOf(channel);
    await page.context().setOffline(false);
    await page.waitForSelector(`.happened >> text=${latest.username}`);
  });

  it("plots the broadcast as the service has it, and goes on with its events", async () => {
    await given.goLive(channel);
    // Each may send one a second.
    const say = (who: Person, content: string) =>
      who.api.ok("sendChatMessage", { params: channel.at, body: { content } });
    await say(fan, "one");
    await pay(fan, "tip");
    await eventually(async () => {
      const messages = (await timeline()).points.map((point) => point.messages);
      expect(messages.reduce((sum, count) => sum + count, 0)).equal(2);
    });
    await open();
    await page.waitForSelector(".plot canvas");
    const { points } = await timeline();
    const total = (values: string[]) =>
      values.reduce((sum, value) => sum + Number(value.replace("$", "")), 0);
    expect((await valuesOf("Chat messages a minute")).slice(0, points.length)).deep.equal(
      points.map((point) => String(point.messages)),
    );
    expect((await valuesOf("New followers")).slice(0, points.length)).deep.equal(
      points.map((point) => String(point.follows)),
    );
    expect((await valuesOf("Tips")).slice(0, points.length)).deep.equal(
      points.map((point) => `$${(point.tip_cents / 100).toFixed(2)}`),
    );
    await say(channel.owner, "two");
    await given.followerOf(channel);
    await pay(fan, "subscription");
    await eventually(async () => {
      expect(total(await valuesOf("Chat messages a minute"))).equal(3);
      expect(total(await valuesOf("New followers"))).equal(
        points.reduce((sum, { follows }) => sum + follows, 1),
      );
      expect(total(await valuesOf("New subscriptions"))).equal(1);
    }, SOON);
  });

  it("reads the plot's values by keys, and passes axe on a phone, dark", async () => {
    await given.goLive(channel);
    await open();
    await page.waitForSelector(".plot canvas");
    const slider = page.locator("[role=slider][aria-label='New followers']");
    await slider.focus();
    await page.keyboard.press("Home");
    const { points } = await timeline();
    const first = points[0];
    expect(await slider.getAttribute("aria-valuenow")).equal("0");
    expect(await slider.getAttribute("aria-valuetext")).match(new RegExp(`: ${first?.follows}$`));
    await page.keyboard.press("End");
    expect(await slider.getAttribute("aria-valuenow")).equal(await slider.getAttribute("aria-valuemax"));
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.evaluate(axe.source);
    expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
    await page.emulateMedia({ colorScheme: null });
  });
});
