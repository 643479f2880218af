import { expect } from "chai";
import { givenBilling } from "../../support/billing.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const BETS = {
  title: "Will it compile?",
  outcomes: [{ title: "Yes" }, { title: "No" }],
  duration_seconds: 60,
};

describe("a viewer's standing at a channel", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  beforeEach(async () => {
    channel = await given.channel();
  });

  const standingOf = ({ api }: Person) =>
    api.ok("getMyStanding", { params: { username: channel.owner.username } });

  it("says null for what a stranger hasn't", async () => {
    const stranger = await given.user();

    expect(await standingOf(stranger)).deep.equal({
      channel_user_id: channel.owner.id,
      stream_id: channel.at.stream_id,
      follow: null,
      is_blocking: false,
      role: null,
      restriction: null,
      subscription: null,
      points: { channel_user_id: channel.owner.id, balance: 0, lifetime_earned: 0, claimable: 0 },
      bet: null,
    });
    expect(await standingOf(channel.owner)).include({ follow: null, role: "owner" });
  });

  it("has the follow with its notifications, and the points", async () => {
    const fan = await given.user();
    const params = { user_id: channel.owner.id };
    const { created_at } = await fan.api.ok("followUser", { params });

    const standing = await standingOf(fan);

    expect(standing.follow).deep.equal({ created_at, notifications: "all" });
    expect(standing.points).include({ balance: 300, lifetime_earned: 300 });
    await fan.api.ok("updateFollow", { params, body: { notifications: "none" } });
    expect((await standingOf(fan)).follow).deep.equal({ created_at, notifications: "none" });
  });

  it("has the subscription until it expires", async () => {
    const fan = await given.user();
    const body = { channel_user_id: channel.owner.id, tier: 2 } as const;
    const { checkout_url } = await fan.api.ok("createSubscriptionCheckout", { body });
    await givenBilling(world).press(checkout_url, "pay");

    const standing = await eventually(async () => {
      const found = await standingOf(fan);
      expect(found.subscription).include({ tier: 2, status: "active" });
      return found;
    });

    const [own] = (await fan.api.ok("listMySubscriptions")).items;
    expect(standing.subscription).deep.equal(own);
    expect((await standingOf(await given.user())).subscription).equal(null);
  });

  it("has the bet on the open prediction alone", async () => {
    const fan = await given.followerOf(channel);
    const { id, outcomes } = await channel.owner.api.ok("createPrediction", {
      params: channel.at,
      body: BETS,
    });
    expect((await standingOf(fan)).bet).equal(null);
    const body = { outcome_id: outcomes[0]?.id ?? "", amount: 50 };
    const { bet } = await fan.api.ok("placeBet", { params: { prediction_id: id }, body });

    expect((await standingOf(fan)).bet).deep.equal(bet);
    expect((await standingOf(await given.user())).bet).equal(null);

    await channel.owner.api.ok("cancelPrediction", { params: { prediction_id: id } });
    expect((await standingOf(fan)).bet).equal(null);
  });

  it("has role, restriction and block", async () => {
    const [vip, muted] = [await given.vipOf(channel), await given.user()];
    const at = { ...channel.at, user_id: muted.id };
    const body = { duration_seconds: 600, reason: "Shouting" };
    await channel.owner.api.ok("timeoutUser", { params: at, body });
    await muted.api.ok("blockUser", { params: { user_id: channel.owner.id } });

    expect(await standingOf(vip)).include({ role: "vip", restriction: null, is_blocking: false });
    const standing = await standingOf(muted);
    expect(standing).include({ role: null, is_blocking: true });
    expect(standing.restriction).include({ type: "timeout", reason: "Shouting" });
  });

  it("needs all of its scopes of a personal token", async () => {
    const viewer = await given.user();
    const codeWith = async (scopes: ("user:read" | "points:read" | "chat:read")[]) => {
      const { token } = await viewer.api.ok("createApiToken", { body: { name: "bot", scopes } });
      const params = { username: channel.owner.username };
      return (await world.api.as({ token }).call("getMyStanding", { params })).code;
    };

    expect(await codeWith(["user:read", "points:read", "chat:read"])).equal(null);
    expect(await codeWith(["user:read", "chat:read"])).equal("insufficient_scope");
  });

  it("says of staff that they are", async () => {
    const staff = await givenStaff(world, given).staff();

    expect((await standingOf(staff)).role).equal("staff");
  });
});
