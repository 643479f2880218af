import { expect } from "chai";
import { givenBilling } from "../../support/billing.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("subscriptions across a block", () => {
  const { world, given } = setUpWorld();

  for (const blocker of ["owner", "subscriber"] as const) {
    it(`refuses new payments after a block by the ${blocker}, but not cancelling`, async () => {
      const billing = givenBilling(world);
      const [{ owner }, fan] = [await given.channel(), await given.user()];
      const body = { channel_user_id: owner.id, tier: 2 as const };
      await billing.press((await fan.api.ok("createSubscriptionCheckout", { body })).checkout_url, "pay");
      const [subscription] = (await fan.api.ok("listMySubscriptions")).items;
      const params = { subscription_id: String(subscription?.id) };
      const [by, other] = blocker === "owner" ? [owner, fan] : [fan, owner];
      const block = { params: { user_id: other.id } };
      await by.api.ok("blockUser", block);

      const raise = { params, body: { tier: 3 as const } };
      expect((await fan.api.call("changeSubscriptionTier", raise)).code).equal("blocked");
      await fan.api.ok("changeSubscriptionTier", { params, body: { tier: 1 as const } });
      expect((await fan.api.ok("cancelSubscription", { params })).status).equal("cancelled");
      expect((await fan.api.call("resumeSubscription", { params })).code).equal("blocked");

      await by.api.ok("unblockUser", block);
      expect((await fan.api.ok("resumeSubscription", { params })).status).equal("active");
      expect((await fan.api.call("changeSubscriptionTier", raise)).status).equal(201);
    });
  }
});
