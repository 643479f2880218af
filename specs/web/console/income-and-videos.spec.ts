import { expect } from "chai";
import type { Page } from "playwright-core";
import { newId } from "../../../base/ids.ts";
import { givenBilling } from "../../support/billing.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { movableClock } from "../../support/clock.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { signIn } from "../signed-in.ts";
import { setUpPage } from "./set-up-page.ts";

describe("income and recordings in the console", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  const opened = setUpPage(browser);
  let channel: Channel;
  let ada: Person;
  let page: Page;

  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.user();
    await signIn(browser.context, world.baseUrl, channel.owner);
    page = opened.page();
  });

  const open = (section: string) => page.goto(`${world.baseUrl}/console/${section}`);
  const confirm = () => page.click("dialog [type=submit]");

  it("list subscribers and tips, and give a tip back once", async () => {
    const billing = givenBilling(world);
    const { owner } = channel;
    const plan = { channel_user_id: owner.id, tier: 2 as const };
    const subscription = await ada.api.ok("createSubscriptionCheckout", { body: plan });
    await billing.press(subscription.checkout_url, "pay");
    const body = { to_user_id: owner.id, amount_cents: 500, currency: "USD", message: "<b>thanks</b>" };
    const tip = await ada.api.ok("createTipCheckout", { body });
    await billing.press(tip.checkout_url, "pay");

    await open("income");
    await page.waitForSelector(
      `.panel:has-text("Subscribers") li:has-text("${ada.username}") >> text=Tier 2`,
    );
    await page.waitForSelector("q:text-is('<b>thanks</b>')");
    await page.click(`[aria-label='Refund $5.00 to ${ada.username}']`);
    await page.waitForSelector("dialog >> text=The whole amount goes back");
    await confirm();
    await page.waitForSelector(".panel:has-text('Tips') li >> text=Refunded");
    const { items } = await owner.api.ok("listMyTips", { query: { direction: "received" } });
    expect(items.map(({ status }) => status)).deep.equal(["refunded"]);
  });

  it("edit and delete videos and clips, also those that others don't see", async () => {
    const live = await given.liveChannel();
    await signIn(browser.context, world.baseUrl, live.owner);
    clock.move(10_000);
    const clip = { stream_id: live.stream.id, title: "What a save", start_time: 0, end_time: 5 };
    await ada.api.ok("createClip", { body: clip });
    const data = { ...live.at, media_recording_id: newId(), duration_seconds: 500 };
    await givenBilling(world).send({ type: "recording.ready", data }, {}, "mediaHook");
    const { username } = live.owner;
    const seen = async () => (await ada.api.ok("listVideos", { params: { username } })).items.length;
    expect(await seen()).equal(1);

    await open("videos");
    const video = page.locator(".panel", { has: page.locator("h2:text-is('Past broadcasts')") });
    await video.locator("[aria-label^='Edit']").click();
    await page.fill("dialog [name=title]", "The finale");
    await page.check("dialog >> text=Only you");
    await confirm();
    await video.locator("li:has-text('The finale') >> text=Private").waitFor();
    expect(await seen()).equal(0);
    await page.reload();
    await video.locator("[aria-label='Delete “The finale”']").click();
    await confirm();
    await video.locator("text=Your streams appear here").waitFor();
    expect((await live.owner.api.ok("listVideos", { params: { username } })).items).deep.equal([]);
    await page.waitForSelector(`li:has-text('What a save') >> text=Made by ${ada.username}`);
    await page.click("[aria-label='Delete “What a save”']");
    await confirm();
    await page.waitForSelector("text=Nobody has made a clip of your channel yet.");
  });
});
