import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("points by REST", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("are zero on a channel where there were none", async () => {
    const { owner } = await given.channel();
    const viewer = await given.user();
    const params = { user_id: owner.id };

    expect(await viewer.api.ok("getPoints", { params })).deep.equal({
      channel_user_id: owner.id,
      balance: 0,
      lifetime_earned: 0,
      claimable: 0,
    });
    expect(await viewer.api.ok("getPointsLedger", { params })).include({ total: 0, has_more: false });
  });

  it("are listed by channel, each with a ledger that adds up", async () => {
    const [first, second] = [await given.channel(), await given.channel()];
    const viewer = await given.followerOf(first);
    await viewer.api.ok("followUser", { params: { user_id: second.owner.id } });
    const prediction = await first.owner.api.ok("createPrediction", {
      params: first.at,
      body: { title: "?", outcomes: [{ title: "a" }, { title: "b" }], duration_seconds: 30 },
    });
    const body = { outcome_id: prediction.outcomes[0]?.id, amount: 40 };
    await viewer.api.ok("placeBet", { params: { prediction_id: prediction.id }, body });

    const balances = await viewer.api.ok("listMyPoints");
    const ledger = await viewer.api.ok("getPointsLedger", {
      params: { user_id: first.owner.id },
      query: { per_page: 1 },
    });

    expect(balances.items.map(({ channel, ...balance }) => [channel?.username, balance])).deep.equal([
      [
        second.owner.username,
        { channel_user_id: second.owner.id, balance: 300, lifetime_earned: 300, claimable: 0 },
      ],
      [
        first.owner.username,
        { channel_user_id: first.owner.id, balance: 260, lifetime_earned: 300, claimable: 0 },
      ],
    ]);
    expect(ledger).include({ total: 2, has_more: true });
    expect(ledger.items[0]).include({
      channel_user_id: first.owner.id,
      delta: -40,
      reason: "bet",
      ref: prediction.id,
      balance_after: 260,
    });
  });

  it("are seen by their owner alone, and of channels that exist", async () => {
    const channel = await given.channel();
    await given.followerOf(channel);
    const params = { user_id: channel.owner.id };
    const other = await given.user();

    expect((await other.api.ok("getPoints", { params })).balance).equal(0);
    expect((await world.api.call("getPoints", { params })).code).equal("auth_required");
    const unknown = { user_id: crypto.randomUUID() };
    expect((await other.api.call("getPoints", { params: unknown })).code).equal("not_found");
    expect((await other.api.call("getPointsLedger", { params: unknown })).code).equal("not_found");
  });
});
