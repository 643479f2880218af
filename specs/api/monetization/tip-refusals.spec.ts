import { expect } from "chai";
import { givenBilling } from "../../support/billing.ts";
import { eventually } from "../../support/eventually.ts";
import { givenChannels } from "../../support/given-channels.ts";
import { viewRoom } from "../../support/room-viewer.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("A tip to a channel whose chat its sender is banned from", () => {
  const { world } = setUpWorld();

  const order = (toUserId: string) => ({
    body: { to_user_id: toUserId, amount_cents: 500, currency: "USD", message: "Look at me" },
  });

  it("is refused, as a message is, while the ban or timeout lasts", async () => {
    const given = givenChannels(world);
    const channel = await given.channel();
    const fan = await given.followerOf(channel);
    const params = { ...channel.at, user_id: fan.id };
    const tip = order(channel.owner.id);

    await channel.owner.api.ok("timeoutUser", { params, body: { duration_seconds: 60 } });
    const timedOut = await fan.api.call("createTipCheckout", tip);
    expect(timedOut).include({ status: 403, code: "timed_out" });
    expect(timedOut.details).property("retry_after_ms").within(1, 60_000);
    await channel.owner.api.ok("banUser", { params, body: {} });
    expect(await fan.api.call("createTipCheckout", tip)).include({ status: 403, code: "banned" });
    expect((await fan.api.ok("listMyTips", { query: { direction: "sent" } })).items).deep.equal([]);
    await channel.owner.api.ok("unbanUser", { params });
    expect((await fan.api.call("createTipCheckout", tip)).status).equal(201);
  });

  it("is booked when the ban came before it was paid, and its message isn't shown in the room", async () => {
    const given = givenChannels(world);
    const channel = await given.channel();
    const fan = await given.followerOf(channel);
    const published: unknown[] = [];
    let isSubscribed = false;
    const viewer = viewRoom({
      http: world.baseUrl,
      streamId: channel.stream.id,
      onMessage({ type, data }) {
        isSubscribed ||= type === "subscribed";
        if (type === "tip.received") published.push(data);
      },
    });
    try {
      await eventually(() => isSubscribed, { what: "the room is subscribed to" });
      const { checkout_url } = await fan.api.ok("createTipCheckout", order(channel.owner.id));
      await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: fan.id }, body: {} });

      await givenBilling(world).press(checkout_url, "pay");

      await eventually(() => published.length > 0, { what: "the room receives the tip" });
      expect(published[0]).include({ amount_cents: 500, message: null });
      const [tip] = (await channel.owner.api.ok("listMyTips")).items;
      expect(tip).include({ status: "completed", message: "Look at me" });
    } finally {
      viewer.client.close();
    }
  });
});
