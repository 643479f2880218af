import { expect } from "chai";
import { givenBilling } from "../../support/billing.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("An account that staff have banned", () => {
  const { world, given } = setUpWorld();
  let staff: ReturnType<typeof givenStaff>;
  let billing: ReturnType<typeof givenBilling>;
  before(async () => {
    staff = givenStaff(world, given);
    billing = givenBilling(world);
  });

  const ban = async (who: Person) =>
    (await staff.staff()).api.ok("banAccount", { params: { account_id: who.id }, body: { reason: "fraud" } });
  const mine = async (fan: Person) => (await fan.api.ok("listMySubscriptions")).items[0];

  it("sells nothing and is given nothing", async () => {
    const [bad, channel, fan] = [await given.user(), await given.channel(), await given.user()];
    await ban(bad);
    const refused = async (tried: Promise<{ code: string | null }>) =>
      expect((await tried).code).equal("not_found");
    const checkout = (channel_user_id: string, more: object = {}) =>
      fan.api.call("createSubscriptionCheckout", { body: { channel_user_id, tier: 3, ...more } });
    const tip = { to_user_id: bad.id, amount_cents: 500, currency: "USD" };
    await refused(checkout(bad.id));
    await refused(checkout(channel.owner.id, { gift_to_user_id: bad.id }));
    await refused(fan.api.call("createTipCheckout", { body: tip }));
    await refused(world.api.call("createTipCheckout", { body: tip }));
    await refused(world.api.call("listSubscriptionTiers", { params: { user_id: bad.id } }));
  });

  it("is paid no more: what is billed for its channel is cancelled at the platform, also what is paid after the ban", async () => {
    const [channel, fan, late, gifted] = [
      await given.channel(),
      await given.user(),
      await given.user(),
      await given.user(),
    ];
    const open = (who: Person, more: object = {}) =>
      who.api.ok("createSubscriptionCheckout", {
        body: { channel_user_id: channel.owner.id, tier: 1, ...more },
      });
    await billing.press((await open(fan)).checkout_url, "pay");
    await billing.press((await open(late, { gift_to_user_id: gifted.id })).checkout_url, "pay");
    const opened = await open(late);
    const reports = world.core.mongo.db.collection("hooks");
    await ban(channel.owner);
    await billing.press(opened.checkout_url, "pay");
    for (const who of [fan, late]) {
      const id = (await mine(who))?.id;
      const cancelled = { type: "subscription.cancelled", "event.data.subscription_id": id };
      await eventually(async () => (await reports.countDocuments(cancelled)) > 0, {
        what: "the platform was notified, and confirms it",
        withinMs: 30_000,
      });
      expect((await mine(who))?.status).equal("cancelled");
    }
    // They have what they paid for; nothing is billed for a gift.
    expect(await world.core.subscriptions.tierOf(fan.id, channel.owner.id)).equal(1);
    expect((await mine(gifted))?.status).equal("active");
    const params = { subscription_id: String((await mine(fan))?.id) };
    expect((await fan.api.call("resumeSubscription", { params })).code).equal("not_found");
    await (await staff.staff()).api.ok("unbanAccount", { params: { account_id: channel.owner.id } });
    expect((await fan.api.ok("resumeSubscription", { params })).status).equal("active");
  });
});
