import { expect } from "chai";
import type { Success } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("predictions by REST", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const predictionBody = {
    title: "Who wins?",
    outcomes: [{ title: "Red", color: "#ff0000" }, { title: "Blue" }],
  };
  const open = (by: Person, { at }: Channel, more: { headers?: Record<string, string> } = {}) =>
    by.api.ok("createPrediction", { params: at, body: { ...predictionBody, duration_seconds: 60 }, ...more });
  const balanceOf = async (person: Person, { owner }: Channel) =>
    (await person.api.ok("getPoints", { params: { user_id: owner.id } })).balance;

  async function openPrediction() {
    const channel = await given.channel();
    const prediction = await open(channel.owner, channel);
    const [red = "", blue = ""] = prediction.outcomes.map((outcome) => outcome.id);
    const at = { prediction_id: prediction.id };
    const bet = (by: Person, outcome_id: string, amount: number, headers: Record<string, string> = {}) =>
      by.api.call("placeBet", { params: at, body: { outcome_id, amount }, headers });
    return { channel, prediction, at, red, blue, bet };
  }

  it("run from opening to payout, and move exactly the points staked", async () => {
    const { channel, at, red, blue, bet } = await openPrediction();
    const { owner } = channel;
    const [winner, loser] = [await given.followerOf(channel), await given.followerOf(channel)];

    const placed = (await bet(winner, red, 100)).body as Success<"placeBet">;
    await bet(loser, blue, 250);
    expect(placed).deep.include({ balance: 200 });
    expect(placed.bet).include({ outcome_id: red, amount: 100, payout: null });
    expect((await winner.api.ok("getMyBet", { params: at })).amount).equal(100);

    const locked = await owner.api.ok("lockPrediction", { params: at });
    expect(locked.status).equal("locked");
    expect((await bet(winner, red, 1)).details).deep.equal({ status: "locked" });
    const resolved = await owner.api.ok("resolvePrediction", { params: at, body: { outcome_id: red } });

    expect(resolved).include({ status: "resolved", resolved_outcome_id: red });
    expect(resolved.outcomes.map(({ points_pool, bettor_count }) => [points_pool, bettor_count])).deep.equal([
      [100, 1],
      [250, 1],
    ]);
    await eventually(async () => expect(await balanceOf(winner, channel)).equal(550));
    expect(await balanceOf(loser, channel)).equal(50);
    expect((await winner.api.ok("getMyBet", { params: at })).payout).equal(350);
    await eventually(async () => expect((await loser.api.ok("getMyBet", { params: at })).payout).equal(0));
  });

  it("give every stake back when they are cancelled", async () => {
    const { channel, at, red, blue, bet } = await openPrediction();
    const [first, second] = [await given.followerOf(channel), await given.followerOf(channel)];
    await bet(first, red, 300);
    await bet(second, blue, 7);

    const cancelled = await channel.owner.api.ok("cancelPrediction", { params: at });

    expect(cancelled).include({ status: "cancelled", resolved_outcome_id: null });
    for (const viewer of [first, second]) {
      await eventually(async () => expect(await balanceOf(viewer, channel)).equal(300));
    }
  });

  it("lock by themselves when their time is over", async () => {
    const { at } = await openPrediction();

    world.clock.move(60_000);

    await eventually(async () =>
      expect((await world.api.ok("getPrediction", { params: at })).status).equal("locked"),
    );
  });

  it("take a stake once when the same request arrives twice", async () => {
    const { channel, red, blue, bet } = await openPrediction();
    const viewer = await given.followerOf(channel);
    const key = { "idempotency-key": "bet-1" };

    const [first, second] = await Promise.all([bet(viewer, red, 100, key), bet(viewer, red, 100, key)]);
    const other = await bet(viewer, red, 101, key);

    expect(first.status).equal(200);
    expect(second.body).deep.equal(first.body);
    expect(other).include({ status: 409, code: "idempotency_conflict" });
    expect(await balanceOf(viewer, channel)).equal(200);
    expect((await bet(viewer, blue, 1)).code).equal("outcome_fixed");
  });

  it("open once per key, and one at a time", async () => {
    const channel = await given.channel();
    const key = { headers: { "idempotency-key": "open-1" } };

    const first = await open(channel.owner, channel, key);
    const again = await open(channel.owner, channel, key);
    const second = await channel.owner.api.call("createPrediction", {
      params: channel.at,
      body: { ...predictionBody, duration_seconds: 60 },
    });

    expect(again).deep.equal(first);
    expect(second).include({ status: 409, code: "prediction_open" });
  });

  it("refuse bets that can't be", async () => {
    const { channel, red, bet } = await openPrediction();
    const [follower, poor] = [await given.followerOf(channel), await given.user()];

    expect((await bet(follower, "no such outcome", 1)).code).equal("outcome_unknown");
    expect((await bet(follower, red, 301)).code).equal("insufficient_points");
    expect((await bet(poor, red, 1)).code).equal("insufficient_points");
    expect((await bet(channel.owner, red, 1)).code).equal("own_prediction");
    for (const amount of [0, -1, 1.5, 250_001, Number.NaN]) {
      expect((await bet(follower, red, amount)).code, String(amount)).equal("validation_failed");
    }
    expect(await balanceOf(follower, channel)).equal(300);
  });

  it("are opened and decided by the channel's moderators who hold no stake", async () => {
    const channel = await given.channel();
    const moderator = await given.moderatorOf(channel);
    const [stranger, foreign] = [await given.followerOf(channel), (await given.channel()).owner];
    const prediction = await open(moderator, channel);
    const [outcome_id = ""] = prediction.outcomes.map((outcome) => outcome.id);
    const params = { prediction_id: prediction.id };

    for (const by of [stranger, foreign]) {
      for (const [operation, body] of [
        ["lockPrediction", undefined],
        ["cancelPrediction", undefined],
        ["resolvePrediction", { outcome_id }],
      ] as const) {
        expect((await by.api.call(operation, { params, ...(body ? { body } : {}) })).code).equal("forbidden");
      }
    }
    await moderator.api.ok("followUser", { params: { user_id: channel.owner.id } });
    await moderator.api.ok("placeBet", { params, body: { outcome_id, amount: 1 } });
    expect((await moderator.api.call("lockPrediction", { params })).code).equal("stake_holder");
    expect((await channel.owner.api.ok("lockPrediction", { params })).status).equal("locked");
  });

  it("are listed newest first, and show the owner their history", async () => {
    const { channel, prediction, at } = await openPrediction();
    await channel.owner.api.ok("cancelPrediction", { params: at });
    world.clock.move(1_000);
    const newer = await open(channel.owner, channel);

    const page = await world.api.ok("listPredictions", { params: channel.at, query: { per_page: 1 } });
    expect(page).include({ total: 2, has_more: true });
    expect(page.items.map((item) => item.id)).deep.equal([newer.id]);

    const { items } = await channel.owner.api.ok("getPredictionHistory", {
      params: { prediction_id: prediction.id },
    });
    const changes = items.map(({ event, from, to, detail, by }) => [event, from, to, detail, by !== null]);
    expect(changes).deep.equal([
      ["create", null, "active", null, true],
      // Nobody had bet, so there was nothing to give back.
      ["cancel", "active", "cancelled", "refunded", true],
    ]);
    const viewer = await given.user();
    expect((await viewer.api.call("getPredictionHistory", { params: at })).code).equal("forbidden");
  });

  it("are not found under other ids, nor is a bet that wasn't placed", async () => {
    const { at } = await openPrediction();
    const viewer = await given.user();
    const unknown = { prediction_id: crypto.randomUUID() };

    expect((await viewer.api.call("getMyBet", { params: at })).code).equal("not_found");
    for (const operation of [
      "getPrediction",
      "lockPrediction",
      "getMyBet",
      "getPredictionHistory",
    ] as const) {
      expect((await viewer.api.call(operation, { params: unknown })).code, operation).equal("not_found");
    }
    const bet = { params: unknown, body: { outcome_id: "x", amount: 1 } };
    expect((await viewer.api.call("placeBet", bet)).code).equal("not_found");
  });
});
