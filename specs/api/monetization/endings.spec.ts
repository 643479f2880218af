import { expect } from "chai";
import { DAY_MS } from "../../../base/durations.ts";
import { givenBilling } from "../../support/billing.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("A subscription ends", () => {
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let billing: ReturnType<typeof givenBilling>;
  before(async () => {
    billing = givenBilling(world);
  });

  async function subscribed() {
    const [channel, fan] = [await given.channel(), await given.user()];
    const { checkout_url } = await fan.api.ok("createSubscriptionCheckout", {
      body: { channel_user_id: channel.owner.id, tier: 1 },
    });
    await billing.press(checkout_url, "pay");
    const [subscription] = (await fan.api.ok("listMySubscriptions")).items;
    return { fan, checkout_url, params: { subscription_id: String(subscription?.id) } };
  }

  const statesOf = async ({ api }: Person, params: { subscription_id: string }) => {
    const { items } = await api.ok("getSubscriptionHistory", { params });
    return items.map(({ from, to }) => [from, to]);
  };

  it("when the platform gives up a payment that is missing", async () => {
    const { fan, checkout_url, params } = await subscribed();

    await billing.press(checkout_url, "fail");
    await billing.press(checkout_url, "end");

    expect(await statesOf(fan, params)).deep.equal([
      [null, "active"],
      ["active", "past_due"],
      ["past_due", "expired"],
    ]);
  });

  it("when what a cancelled one has paid is over, and not with the platform's word of its end before", async () => {
    const { fan, checkout_url, params } = await subscribed();
    await fan.api.ok("cancelSubscription", { params });
    expect((await billing.press(checkout_url, "end")).status).equal(200);
    expect((await fan.api.ok("listMySubscriptions")).items[0]?.status).equal("cancelled");

    clock.move(32 * DAY_MS);
    const later = await given.signedInAgain(fan);

    await eventually(async () => {
      expect(await statesOf(later, params)).deep.equal([
        [null, "active"],
        ["active", "cancelled"],
        ["cancelled", "expired"],
      ]);
      return true;
    });
  });
});
