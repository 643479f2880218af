import { expect } from "chai";
import { HOUR_MS } from "../../../base/durations.ts";
import { movableClock } from "../../support/clock.ts";
import { givenChannels } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("The Idempotency-Key of a checkout", () => {
  const { world } = setUpWorld({ clock: movableClock() });

  for (const what of ["tip", "subscription"] as const) {
    it(`stands for one ${what} for 24 hours, and is free after them`, async () => {
      const given = givenChannels(world);
      const channel = await given.channel();
      const fan = await given.user();
      const ask = async (amount = 500) => {
        // Somebody who was away for hours signs in anew.
        const { api } = await given.signedInAgain(fan);
        const keyed = api.with({ "idempotency-key": `key-of-a-${what}` });
        const tip = { to_user_id: channel.owner.id, amount_cents: amount, currency: "USD" };
        const order = { channel_user_id: channel.owner.id, tier: amount === 500 ? 1 : 2 };
        return what === "tip"
          ? keyed.call("createTipCheckout", { body: tip })
          : keyed.call("createSubscriptionCheckout", { body: order });
      };
      const urlOf = async (amount?: number) => Object(await ask(amount)).body?.checkout_url;

      const [first] = new Set(await Promise.all([urlOf(), urlOf(), urlOf()]));
      expect(first).a("string");
      world.clock.move(24 * HOUR_MS - 60_000);
      expect(await urlOf()).equal(first);
      expect((await ask(600)).code).equal("idempotency_conflict");
      world.clock.move(120_000);
      const next = await urlOf(600);
      expect(next).a("string").not.equal(first);
      expect(await urlOf(600)).equal(next);
      expect((await ask()).code).equal("idempotency_conflict");
    });
  }

  it("counts for each operation by itself", async () => {
    const given = givenChannels(world);
    const channel = await given.channel();
    const fan = await given.user();
    const keyed = fan.api.with({ "idempotency-key": "one-key" });
    const tip = { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD" };
    const order = { channel_user_id: channel.owner.id, tier: 1 };
    expect((await keyed.call("createTipCheckout", { body: tip })).status).equal(201);
    expect((await keyed.call("createSubscriptionCheckout", { body: order })).status).equal(201);
  });
});
