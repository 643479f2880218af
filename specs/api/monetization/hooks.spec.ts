import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { signedHeaders } from "../../../actors/hooks/signatures.ts";
import { givenBilling } from "../../support/billing.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const MINUTE = 60_000;

describe("Reports of a payment platform", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  let billing: ReturnType<typeof givenBilling>;
  before(async () => {
    billing = givenBilling(world);
  });

  /** What a platform would know of a checkout of 4.99. */
  async function opened(channel: Channel, fan: Person, tier = 1) {
    const body = { channel_user_id: channel.owner.id, tier };
    const { checkout_url } = await fan.api.ok("createSubscriptionCheckout", { body });
    const order = world.payments.orderOf(String(checkout_url).split("/").at(-1) ?? "");
    if (!order) throw new Error("its page was made here");
    const payment = { amount_cents: order.amountCents, currency: "USD" };
    return {
      checkout: { checkout_id: order.checkoutId, platform_id: "p1", ...payment },
      of: { subscription_id: order.subscriptionId, checkout_id: order.checkoutId, platform_id: "p1" },
      payment,
    };
  }

  const status = async (fan: Person) => (await fan.api.ok("listMySubscriptions")).items[0]?.status ?? null;

  async function begun() {
    const [channel, fan] = [await given.channel(), await given.user()];
    return { channel, fan, ...(await opened(channel, fan)) };
  }

  it("are let in with the system key and the signature of one of the secrets alone", async () => {
    const { fan, checkout } = await begun();
    const hook = { type: "checkout.completed", data: checkout };
    const refused = async (change: Parameters<typeof billing.send>[1]) => {
      const { status, code } = await billing.send(hook, change);
      return `${status} ${code}`;
    };
    expect(await refused({ headers: { "x-system-key": "another" } })).equal("401 system_key_required");
    expect(await refused({ secret: "whsec_c29tZWJvZHkgZWxzZSdzIGtleSBpcyBub3Qgb3Vycw==" })).equal(
      "401 signature_invalid",
    );
    expect(await refused({ headers: { "webhook-signature": "v1,AAAA" } })).equal("401 signature_invalid");
    expect(await refused({ headers: { "webhook-id": "another" } })).equal("401 signature_invalid");
    expect(await refused({ body: '{"type":"checkout.completed"}' })).equal("401 signature_invalid");
    // Not even read: the signature comes first.
    expect(await refused({ body: "{" })).equal("401 signature_invalid");
    expect(await status(fan)).equal(null);

    const [, second] = world.webhookSecrets.billing;
    expect((await billing.send(hook, { secret: second })).status).equal(200);
    expect(await status(fan)).equal("active");
  });

  it("are let in with several signatures, as while secrets are replaced", async () => {
    const { fan, checkout } = await begun();
    const id = randomUUID();
    const body = JSON.stringify({
      id,
      type: "checkout.completed",
      created_at: new Date().toISOString(),
      data: checkout,
    });
    const right = signedHeaders(world.webhookSecrets.billing[1], id, body, world.clock.now());
    const wrong = signedHeaders(
      "whsec_c29tZWJvZHkgZWxzZSdzIGtleSBpcyBub3Qgb3Vycw==",
      id,
      body,
      world.clock.now(),
    );
    const both = `${wrong["webhook-signature"]} v2,unknown ${right["webhook-signature"]}`;
    const headers = { ...right, "webhook-signature": both, "x-system-key": world.systemKeys.billing };
    expect((await world.api.call("billingHook", { headers, body })).status).equal(200);
    expect(await status(fan)).equal("active");
  });

  it("are refused when they are more than five minutes off, either way", async () => {
    const { checkout } = await begun();
    const at = (ms: number) => {
      const id = randomUUID();
      const body = JSON.stringify({
        id,
        type: "checkout.completed",
        created_at: new Date().toISOString(),
        data: checkout,
      });
      const headers = signedHeaders(world.webhookSecrets.billing[0], id, body, world.clock.now() + ms);
      return world.api.call("billingHook", {
        headers: { ...headers, "x-system-key": world.systemKeys.billing },
        body,
      });
    };
    expect((await at(-5 * MINUTE - 2_000)).code).equal("signature_invalid");
    expect((await at(5 * MINUTE + 2_000)).code).equal("signature_invalid");
    expect((await at(-4 * MINUTE)).status).equal(200);
  });

  it("are answered 400 when their form isn't right, and 200 when nobody knows their type", async () => {
    expect((await billing.send({ type: "checkout.completed", data: {} })).code).equal("validation_failed");
    expect((await billing.send({ type: "tip.completed", data: { tip_id: "no id" } })).code).equal(
      "validation_failed",
    );
    expect((await billing.send({ type: "", data: {} })).status).equal(400);
    expect((await billing.send({ type: "customer.sneezed", data: {} })).status).equal(200);
    expect((await billing.send({ type: "toString", data: {} })).status).equal(200);
  });

  it("count once, also when they are repeated at the same time", async () => {
    const { fan, checkout, of, payment } = await begun();
    await billing.send({ type: "checkout.completed", data: checkout });
    const before = (await fan.api.ok("listMySubscriptions")).items[0];
    const renewal = { id: randomUUID(), type: "subscription.renewed", data: { ...of, ...payment } };
    const answers = await Promise.all(Array.from({ length: 6 }, () => billing.send(renewal)));
    expect(answers.map((one) => one.status)).deep.equal([200, 200, 200, 200, 200, 200]);
    const after = (await fan.api.ok("listMySubscriptions")).items[0];
    const months =
      (Date.parse(String(after?.renews_at)) - Date.parse(String(before?.renews_at))) / 86_400_000;
    expect(months).within(28, 31);
  });

  it("wait for the payment that they are about, and are applied after it", async () => {
    const { fan, checkout, of, payment } = await begun();
    const at = (minutes: number) => new Date(world.clock.now() + minutes * MINUTE).toISOString();
    await billing.send({ type: "subscription.cancelled", created_at: at(2), data: of });
    await billing.send({ type: "subscription.renewed", created_at: at(1), data: { ...of, ...payment } });
    expect(await status(fan)).equal(null);
    await billing.send({ type: "checkout.completed", created_at: at(0), data: checkout });
    const [subscription] = (await fan.api.ok("listMySubscriptions")).items;
    expect(subscription?.status).equal("cancelled");
    const days =
      (Date.parse(String(subscription?.renews_at)) - Date.parse(String(subscription?.started_at))) /
      86_400_000;
    expect(days).within(58, 63);
  });

  it("are kept, alerted about and not booked when the amount isn't ours", async () => {
    const { fan, checkout, of } = await begun();
    const hooks = world.core.mongo.db.collection<{ _id: string }>("hooks");
    const alerts = world.alerts.length;
    const setAside = async (type: string, data: Record<string, unknown>) => {
      const id = randomUUID();
      expect((await billing.send({ id, type, data })).status).equal(200);
      expect(await hooks.findOne({ _id: `billing:${id}` })).include({ state: "set_aside", expiresAt: null });
    };
    await setAside("checkout.completed", { ...checkout, amount_cents: 1 });
    await setAside("checkout.completed", { ...checkout, currency: "EUR" });
    expect(await status(fan)).equal(null);
    await billing.send({ type: "checkout.completed", data: checkout });
    const before = (await fan.api.ok("listMySubscriptions")).items[0]?.renews_at;
    await setAside("subscription.renewed", { ...of, amount_cents: 2_499, currency: "USD" });
    expect((await fan.api.ok("listMySubscriptions")).items[0]?.renews_at).equal(before);

    const body = { to_user_id: fan.id, amount_cents: 500, currency: "USD" };
    await world.api.ok("createTipCheckout", { body });
    const [tip] = (await fan.api.ok("listMyTips")).items;
    await setAside("tip.completed", { tip_id: tip?.id, amount_cents: 100_000, currency: "USD" });
    expect((await fan.api.ok("listMyTips")).items[0]?.status).equal("pending");
    expect(world.alerts.slice(alerts)).deep.equal(Array(4).fill("hook_set_aside"));
  });

  it("were written down before they were answered: a dead process's is applied by the next sweep", async () => {
    const { fan, checkout } = await begun();
    const id = randomUUID();
    const hooks = world.core.mongo.db.collection<Record<string, unknown> & { _id: string }>("hooks");
    await hooks.insertOne({
      _id: `billing:${id}`,
      source: "billing",
      type: "checkout.completed",
      subject: null,
      state: "received",
      reason: null,
      event: { id, createdAt: new Date(world.clock.now()), data: checkout },
      receivedAt: new Date(0),
      dueAt: new Date(0),
      failures: 0,
      expiresAt: null,
    });
    await eventually(async () => (await status(fan)) === "active", {
      what: "the sweep applies it",
      withinMs: 20_000,
    });
    // And the platform, which got no answer, repeats it.
    expect((await billing.send({ id, type: "checkout.completed", data: checkout })).status).equal(200);
    expect((await fan.api.ok("listMySubscriptions")).total).equal(1);
  });

  it("of a refund that come before the payment's end in the same state", async () => {
    const receiver = await given.user();
    const body = { to_user_id: receiver.id, amount_cents: 500, currency: "USD" };
    const reports = (tip_id: string | undefined) => [
      { type: "tip.completed", data: { tip_id, amount_cents: 500, currency: "USD", platform_id: "pi" } },
      { type: "tip.refunded", data: { tip_id } },
    ];
    for (const isLate of [false, true]) {
      await world.api.ok("createTipCheckout", { body });
      const [tip] = (await receiver.api.ok("listMyTips")).items;
      for (const hook of isLate ? reports(tip?.id).reverse() : reports(tip?.id)) await billing.send(hook);
      expect((await receiver.api.ok("listMyTips")).items[0]?.status).equal("refunded");
    }
  });

  it("of a payment that was taken back refund its tip, and are set aside of anything else", async () => {
    const { fan, checkout } = await begun();
    await billing.send({ type: "checkout.completed", data: checkout });
    const body = { to_user_id: fan.id, amount_cents: 500, currency: "USD" };
    await world.api.ok("createTipCheckout", { body });
    const tip_id = (await fan.api.ok("listMyTips")).items[0]?.id;
    const platform_id = `pi_${tip_id}`;
    const paid = { tip_id, platform_id, amount_cents: 500, currency: "USD" };
    await billing.send({ type: "tip.completed", data: paid });
    const alerts = world.alerts.length;
    const takenBack = async (named: string, becomes: string) => {
      const id = randomUUID();
      const data = { how: "disputed", platform_id: named };
      expect((await billing.send({ id, type: "payment.reversed", data })).status).equal(200);
      const hooks = world.core.mongo.db.collection<{ _id: string; state: string }>("hooks");
      // The mark is written soon after it was applied.
      const isMarked = async () => (await hooks.findOne({ _id: `billing:${id}` }))?.state === becomes;
      await eventually(isMarked, { withinMs: 5_000, what: becomes });
    };
    await takenBack(platform_id, "applied");
    expect((await fan.api.ok("listMyTips")).items[0]?.status).equal("refunded");
    expect(world.alerts.length).equal(alerts);
    await takenBack("pi_of_a_renewal", "set_aside");
    expect(world.alerts.slice(alerts)).deep.equal(["hook_set_aside"]);
    expect(await status(fan)).equal("active");
  });

  it("begin another subscription when the payment came after the end of the last", async () => {
    const { channel, fan, checkout, of } = await begun();
    await billing.send({ type: "checkout.completed", data: checkout });
    await billing.send({ type: "subscription.expired", data: of });
    const again = await opened(channel, fan, 3);
    await billing.send({ type: "checkout.completed", data: again.checkout });
    const { items } = await fan.api.ok("listMySubscriptions");
    expect(items.map(({ status, tier }) => [status, tier])).deep.equal([
      ["active", 3],
      ["expired", 1],
    ]);
  });
});
