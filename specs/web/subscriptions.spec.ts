// @waits: for a browser.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { givenBilling } from "../support/billing.ts";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang, plainTexts } from "./in-page.mjs";
import { leadOnFromPublicAddress } from "./public-address.ts";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

const DESKTOP = { width: 1_280, height: 800 };
const PHONE = { width: 360, height: 740 };
const HOSTILE = "<b>bold</b> & שלום";
const submit = "dialog [type=submit]";

describe("subscriptions and tips", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  let ada: Person;
  let page: Page;
  const complaints: string[] = [];

  before(async () => {
    await servePublicFiles(browser.context, world.baseUrl);
    await leadOnFromPublicAddress(browser.context, world.baseUrl);
  });
  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.user();
    await signIn(browser.context, world.baseUrl, ada);
    page = await browser.context.newPage();
    await page.setViewportSize(DESKTOP);
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  const openChannel = () => page.goto(`${world.baseUrl}/${channel.owner.username}`);
  const openSettings = () => page.goto(`${world.baseUrl}/settings/subscriptions`);
  const notice = (text: string) => page.waitForSelector(`.payment-notice:has-text("${text}")`);
  const says = (text: string) => page.waitForSelector(`.toast:has-text("${text}")`);
  /** On the page of the payment platform. */
  const press = (button: string) => page.click(`button:text-is("${button}")`);

  /** Has paid for that tier, without the page. */
  async function subscribed(tier: 1 | 2 | 3 = 2): Promise<string> {
    const body = { channel_user_id: channel.owner.id, tier };
    const { checkout_url } = await ada.api.ok("createSubscriptionCheckout", { body });
    await givenBilling(world).press(checkout_url, "pay");
    return eventually(async () => {
      const [own] = (await ada.api.ok("listMySubscriptions")).items;
      if (!own) throw new Error("it isn't booked yet");
      return own.id;
    });
  }

  it("The channel's page subscribes through the payment page and tells the outcome in place", async () => {
    await openChannel();
    await page.click("button:text-is('Subscribe')");
    await page.click(".tier:has-text('Tier 2')");
    await page.click(submit);
    await press("Pay");

    await notice(`You are subscribed to ${channel.owner.username} (tier 2).`);
    await page.waitForSelector("button:has-text('Subscribed · Tier 2')");
    expect(page.url()).equal(`${world.baseUrl}/${channel.owner.username}`);
    const [own] = (await ada.api.ok("listMySubscriptions")).items;
    expect(own).include({ tier: 2, status: "active" });
  });

  it("A dialog whose script doesn't come says so, and opens by the next press once it does", async () => {
    const scripts = "**/assets/site-subscribe-dialog-*.js";
    await page.route(scripts, (route) => route.abort());
    await openChannel();
    await page.click("button:text-is('Subscribe')");
    await says("This couldn't be loaded.");
    await page.unroute(scripts);
    await page.click("button:text-is('Subscribe')");
    await page.waitForSelector("dialog .tier");
  });

  it("A payment page that was left leads back to a notice from which one can still pay", async () => {
    await openChannel();
    await page.click("button:text-is('Subscribe')");
    await page.waitForSelector(".tier");
    await page.click(submit);
    await page.click("text=Cancel and go back");
    await notice(`You haven't paid the $4.99 for ${channel.owner.username} yet.`);
    expect((await ada.api.ok("listMySubscriptions")).items).deep.equal([]);

    await page.click(".payment-notice >> text=Pay now");
    await press("Pay");
    await notice("You are subscribed");
  });

  it("A payment that arrives late is waited for, across a reload", async () => {
    await openChannel();
    await page.click("button:text-is('Subscribe')");
    await page.waitForSelector(".tier");
    await page.click(submit);
    const back = await page.waitForSelector("text=Cancel and go back");
    const checkoutUrl = page.url();
    const { hash } = new URL((await back.getAttribute("href")) ?? "");
    await page.goto(`${world.baseUrl}/${channel.owner.username}${hash.replace("&left=1", "")}`);
    await notice("Waiting for the payment");
    await page.reload();
    await notice("Waiting for the payment");

    await fetch(`${checkoutUrl}/pay`, { method: "POST", redirect: "manual" });
    await notice("You are subscribed");
    await page.waitForSelector("button:has-text('Subscribed · Tier 1')");
  });

  it("A gift goes to the user who was named, and a name of nobody is refused beside the form", async () => {
    const ben = await given.user();
    await openChannel();
    await page.click("button:text-is('Subscribe')");
    await page.click("dialog label:has-text('As a gift')");
    await page.fill("dialog [name=receiver]", "nobody_has_this");
    await page.click(submit);
    await page.waitForSelector("dialog [role=alert]:has-text('No user has that name.')");
    await page.fill("dialog [name=receiver]", ` ${ben.username.toUpperCase()}`);
    await page.click(submit);
    await press("Pay");

    await notice(`${ben.username} got your gift: a subscription to ${channel.owner.username}.`);
    const [given_] = (await ben.api.ok("listMySubscriptions")).items;
    expect(given_).include({ is_gift: true, status: "active" });
  });

  it("A gift to the reader shows on an open page without a reload", async () => {
    await openChannel();
    await page.waitForSelector("button:text-is('Subscribe')");
    await page.waitForSelector(".watch .log");
    const ben = await given.user();
    const body = { channel_user_id: channel.owner.id, tier: 3, gift_to_user_id: ada.id } as const;
    const { checkout_url } = await ben.api.ok("createSubscriptionCheckout", { body });
    await givenBilling(world).press(checkout_url, "pay");
    await page.waitForSelector("button:has-text('Subscribed · Tier 3')");
  });

  it("A tip is refused beneath the least amount, and sent with its message once it is paid", async () => {
    await openChannel();
    await page.click("button:text-is('Tip')");
    await page.waitForSelector("dialog .amounts");
    await page.fill("dialog [name=amount]", "0.50");
    await page.click(submit);
    await page.waitForSelector("dialog [role=alert]:has-text('between $1.00 and $10,000.00')");
    await page.fill("dialog [name=amount]", "7,5");
    await page.fill("dialog [name=message]", HOSTILE);
    await page.click(submit);
    await press("Pay");

    await notice(`Your tip of $7.50 was sent to ${channel.owner.username}.`);
    const [tip] = (await channel.owner.api.ok("listMyTips")).items;
    expect(tip).include({ amount_cents: 750, message: HOSTILE, status: "completed" });
    expect(tip?.from_user?.id).equal(ada.id);
  });

  it("A stranger can tip without a name", async () => {
    await browser.context.clearCookies();
    await openChannel();
    await page.click("button:text-is('Tip')");
    await page.click("dialog button:has-text('$5')");
    await page.click(submit);
    await press("Pay");
    await notice("Your tip of $5.00 was sent");
    const [tip] = (await channel.owner.api.ok("listMyTips")).items;
    expect(tip).include({ amount_cents: 500, from_user: null });
  });

  it("A link to a checkout that another browser opened shows no payment", async () => {
    const body = { to_user_id: channel.owner.id, amount_cents: 900_000, currency: "USD" };
    const { checkout_id } = await world.api.ok("createTipCheckout", { body });
    await page.goto(`${world.baseUrl}/${channel.owner.username}#checkout=${checkout_id}&left=1`);
    await page.waitForSelector("button:text-is('Tip')");
    await page.click("button:text-is('Tip')");
    await page.waitForSelector("dialog .amounts");
    expect(await page.locator(".payment-notice").count()).equal(0);
  });

  it("A failed payment is told, and can be tried again, on a phone as well", async () => {
    await page.setViewportSize(PHONE);
    await openChannel();
    await page.click("[role=tab]:has-text('About')");
    await page.click("button:text-is('Tip')");
    await page.click("dialog button:has-text('$5')");
    await page.click(submit);
    await press("Let the payment fail");
    await notice("The payment failed. Nothing was charged.");

    await page.click(".payment-notice >> text=Try again");
    await page.click("dialog button:has-text('$5')");
    await page.click(submit);
    await press("Pay");
    await notice("Your tip of $5.00 was sent");
  });

  it("The settings cancel a subscription, say what stays, and resume it", async () => {
    await subscribed();
    await openSettings();
    await page.click("button:text-is('Cancel subscription')");
    await page.waitForSelector("dialog:has-text('You keep the badge, the emotes and everything else until')");
    await page.click("dialog button:text-is('Keep it')");
    expect((await ada.api.ok("listMySubscriptions")).items[0]?.status).equal("active");
    await page.click("button:text-is('Cancel subscription')");
    await page.click(submit);
    await says("Your subscription is cancelled.");
    await page.waitForSelector(".subscription:has-text('Cancelled. You keep it until')");
    expect((await ada.api.ok("listMySubscriptions")).items[0]?.status).equal("cancelled");

    await page.click("button:text-is('Resume')");
    await says("You are subscribed again.");
    await page.waitForSelector(".subscription:has-text('Renews on')");
    expect((await ada.api.ok("listMySubscriptions")).items[0]?.status).equal("active");
    await page.click("button:text-is('History')");
    await page.waitForSelector(".subscription-history li >> nth=2");
    expect(await page.locator(".subscription-history b").allTextContents()).deep.equal([
      "Subscribed",
      "Cancelled",
      "Resumed",
    ]);
  });

  it("The settings change to a lower tier at the next payment, and to a higher one by paying", async () => {
    await subscribed();
    await openSettings();
    await page.click("button:text-is('Change tier')");
    await page.click(".tier:has-text('Tier 1')");
    await page.click(submit);
    await says("Your subscription changes to tier 1 on");
    await page.waitForSelector(".subscription:has-text('Changes to tier 1 on')");

    await page.click("button:text-is('Change tier')");
    await page.click(".tier:has-text('Tier 3')");
    await page.click(submit);
    await press("Pay");
    await notice("(tier 3)");
    await page.waitForSelector(".subscription:has-text('Tier 3. Renews on')");
    expect((await ada.api.ok("listMySubscriptions")).items[0]?.tier).equal(3);
  });

  it("The settings show gifts, payment problems, ends and refunds", async () => {
    const subscription_id = await subscribed();
    const send = (type: string) => givenBilling(world).send({ type, data: { subscription_id } });
    await send("subscription.payment_failed");
    await eventually(async () =>
      expect((await ada.api.ok("listMySubscriptions")).items[0]?.status).equal("past_due"),
    );
    await openSettings();
    await page.waitForSelector(".subscription .fault:has-text('The last payment failed.')");

    await send("subscription.expired");
    const ben = await given.user();
    const body = { channel_user_id: channel.owner.id, tier: 1, gift_to_user_id: ada.id } as const;
    await eventually(async () =>
      expect((await ada.api.ok("listMySubscriptions")).items[0]?.status).equal("expired"),
    );
    const gift = await ben.api.ok("createSubscriptionCheckout", { body });
    await givenBilling(world).press(gift.checkout_url, "pay");
    const paid = { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD" };
    const tip = await ada.api.ok("createTipCheckout", { body: paid });
    await givenBilling(world).press(tip.checkout_url, "pay");
    await eventually(() => channel.owner.api.ok("refundTip", { params: { tip_id: tip.tip_id ?? "" } }));
    await openSettings();
    await page.waitForSelector(".subscription:has-text('A gift that lasts until')");
    await page.waitForSelector(`.subscription >> text=Gift from ${ben.username}`);
    const { items } = await channel.owner.api.ok("listMySubscribers");
    expect(
      items.filter(({ gifted_by }) => gifted_by),
      "for the one who got it",
    ).deep.equal([]);
    await page.waitForSelector(".subscription:has-text('Ended.') >> text=Subscribe again");
    await page.waitForSelector("li:has-text('$5.00 to'):has-text('Refunded')");
  });

  it("The settings list points by channel with their history, and follow their changes", async () => {
    await ada.api.ok("followUser", { params: { user_id: channel.owner.id } });
    await page.goto(`${world.baseUrl}/settings/points`);
    await page.waitForSelector(".rows li:has-text('300 points')");
    await page.click("button:text-is('Show history')");
    await page.waitForSelector(".points-entries li:has-text('First follow'):has-text('+300')");

    const { id, outcomes } = await channel.owner.api.ok("createPrediction", {
      params: channel.at,
      body: { title: "?", outcomes: [{ title: "a" }, { title: "b" }], duration_seconds: 60 },
    });
    const body = { outcome_id: outcomes[0]?.id ?? "", amount: 40 };
    await ada.api.ok("placeBet", { params: { prediction_id: id }, body });
    await page.waitForSelector(".rows li:has-text('260 points')");
    await page.waitForSelector(".points-entries li:has-text('Bet on a prediction'):has-text('−40')");
  });

  it("Dialogs and pages pass axe in light and dark, and are no wider than a phone", async () => {
    await subscribed();
    await ada.api.ok("followUser", { params: { user_id: channel.owner.id } });
    const tip = { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD", message: HOSTILE };
    await ada.api.ok("createTipCheckout", { body: tip });
    const other = await given.channel();
    const found: string[] = [];
    const look = async (what: string): Promise<void> => {
      await page.evaluate(axe.source);
      const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
      found.push(...faults.map((fault) => `${what}: ${fault}`));
    };
    for (const [colorScheme, size] of [
      ["light", DESKTOP],
      ["dark", PHONE],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await openSettings();
      await page.waitForSelector(".subscription");
      await page.waitForSelector("li:has-text('$5.00 to')");
      await look(`subscriptions ${colorScheme}`);
      for (const button of ["Change tier", "Cancel subscription", "History"]) {
        await page.click(`.subscription button:text-is("${button}")`);
        await page.waitForSelector("dialog [aria-busy=true]", { state: "detached" });
        await look(`${button} ${colorScheme}`);
        await page.keyboard.press("Escape");
        await page.waitForSelector("dialog", { state: "detached" });
      }
      await page.goto(`${world.baseUrl}/settings/points`);
      await page.click("button:text-is('Show history')");
      await page.waitForSelector(".points-entries li");
      await look(`points ${colorScheme}`);
      await page.goto(`${world.baseUrl}/${other.owner.username}`);
      if (size === PHONE) await page.click("[role=tab] >> nth=1");
      await page.click("button:text-is('Tip')");
      await page.click(".amounts button >> nth=1");
      await page.click(submit);
      await page.click("text=Cancel and go back");
      await page.waitForSelector(".payment-notice a");
      if (size === PHONE) await page.click("[role=tab] >> nth=1");
      await look(`notice ${colorScheme}`);
      await page.click(".payment-notice .shut");
      const buttons = page.locator(".acts-of button");
      await eventually(async () => expect(await buttons.count()).greaterThan(3));
      await page.click(".acts-of button >> nth=1");
      await page.waitForSelector(".tier");
      await page.check("dialog [name=for] >> nth=1");
      await look(`gift ${colorScheme}`);
      await page.keyboard.press("Escape");
      await page.click(".acts-of button >> nth=2");
      await page.waitForSelector("dialog .amounts");
      await look(`tip ${colorScheme}`);
    }
    for (const section of ["subscriptions", "points"]) {
      await page.goto(`${world.baseUrl}/settings/${section}?lang=pseudo`);
      await page.waitForSelector(".rows li");
      found.push(...(await page.evaluate(plainTexts)), ...(await page.evaluate(overhang)));
    }
    expect(found).deep.equal([]);
  });
});
