import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const DAY_MS = 86_400_000;
/** Of the worlds of specs. */
const PUBLIC_URL = "https://livecore.example";

describe("coming back from a checkout", () => {
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  let fan: Person;
  beforeEach(async () => {
    channel = await given.channel();
    fan = await given.user();
  });

  const subscribe = (more: object = {}) =>
    fan.api.ok("createSubscriptionCheckout", {
      body: { channel_user_id: channel.owner.id, tier: 2, ...more },
    });
  const tip = (by = fan.api, more: object = {}) =>
    by.ok("createTipCheckout", {
      body: { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD", ...more },
    });
  const stateOf = (checkout_id: string, by = fan.api) => by.ok("getCheckout", { params: { checkout_id } });
  const statusIs = (id: string, status: string) =>
    eventually(async () => expect((await stateOf(id)).status).equal(status));
  const press = (url: string | null, action: string) =>
    fetch(`${url}/${action}`, { method: "POST", redirect: "manual" });

  it("leads to the page that the payer came from, with the checkout in its fragment", async () => {
    const return_to = `${PUBLIC_URL}/${channel.owner.username}?t=5#old`;
    const { checkout_id: id, checkout_url } = await subscribe({ return_to });

    const page = await (await fetch(String(checkout_url))).text();
    const back = `${PUBLIC_URL}/${channel.owner.username}?t=5#checkout=${id}`;
    expect(page).include(`href="${back}&amp;left=1"`);
    const answer = await press(checkout_url, "pay");
    expect([answer.status, answer.headers.get("location")]).deep.equal([303, back]);
  });

  it("refuses to lead to pages of others", async () => {
    for (const return_to of [
      "https://evil.example/",
      `${PUBLIC_URL}.evil.example/`,
      PUBLIC_URL.replace("//", "//user:password@"),
      PUBLIC_URL.replace("//", "//evil.example@"),
      `${PUBLIC_URL}//evil.example`,
      `${PUBLIC_URL}/a/..//evil.example`,
      `${PUBLIC_URL}/\\\\evil.example`,
      "javascript:alert(1)",
      "/a",
    ]) {
      const body = { channel_user_id: channel.owner.id, tier: 1, return_to } as const;
      const answer = await fan.api.call("createSubscriptionCheckout", { body });
      expect([return_to, answer.code]).deep.equal([return_to, "validation_failed"]);
    }
    const tips = await fan.api.ok("listMyTips", { query: { direction: "sent" } });
    expect(tips.items).deep.equal([]);
  });

  it("says what a checkout is for, and that it was paid", async () => {
    const friend = await given.user();
    const gift = await subscribe({ gift_to_user_id: friend.id });

    expect(await stateOf(gift.checkout_id)).deep.include({
      kind: "gift",
      status: "open",
      tier: 2,
      amount_cents: 999,
      currency: "USD",
      checkout_url: gift.checkout_url,
    });
    await press(gift.checkout_url, "pay");
    await statusIs(gift.checkout_id, "paid");
    const paid = await stateOf(gift.checkout_id);
    expect([paid.gift_to?.id, paid.channel?.id]).deep.equal([friend.id, channel.owner.id]);
    expect(paid.checkout_url).equal(null);
  });

  it("stays paid for a tip that is refunded", async () => {
    const { checkout_id: id, checkout_url, tip_id = "" } = await tip();
    await press(checkout_url, "pay");
    await statusIs(id, "paid");
    expect(await stateOf(id)).include({ kind: "tip", tier: null, gift_to: null });

    await channel.owner.api.ok("refundTip", { params: { tip_id } });
    expect((await stateOf(id)).status).equal("paid");
  });

  it("says that a payment failed, until another attempt is paid", async () => {
    const { checkout_id: id, checkout_url } = await subscribe();
    await press(checkout_url, "reject");
    await statusIs(id, "failed");

    await press(checkout_url, "pay");
    await statusIs(id, "paid");
    await press(checkout_url, "reject");
    expect((await stateOf(id)).status).equal("paid");
  });

  it("says that a checkout wasn't paid in time", async () => {
    const { checkout_id: id } = await subscribe();
    clock.move(DAY_MS + 1);
    fan = await given.signedInAgain(fan);
    expect(await stateOf(id)).include({ status: "expired", checkout_url: null });
  });

  it("shows a checkout to its payer alone, and that of a tip without a sender by its id", async () => {
    const [mine, nobodys] = [await tip(), await tip(world.api)];

    for (const { api } of [channel.owner, { api: world.api }]) {
      const answer = await api.call("getCheckout", { params: { checkout_id: mine.checkout_id } });
      expect(answer.code).equal("not_found");
    }
    // Whoever has its id may have it from somebody who wants it paid.
    for (const by of [world.api, fan.api])
      expect(await stateOf(nobodys.checkout_id, by)).include({ status: "open", checkout_url: null });
    const params = { checkout_id: newId() };
    expect((await fan.api.call("getCheckout", { params })).code).equal("not_found");
  });

  it("names the receivers of tips, and the channels of balances", async () => {
    await fan.api.ok("followUser", { params: { user_id: channel.owner.id } });
    await tip();

    const [sent] = (await fan.api.ok("listMyTips", { query: { direction: "sent" } })).items;
    expect(sent?.to_user?.username).equal(channel.owner.username);
    const [balance] = (await fan.api.ok("listMyPoints")).items;
    expect(balance?.channel?.username).equal(channel.owner.username);
  });
});
