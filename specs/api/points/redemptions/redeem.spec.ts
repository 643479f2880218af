import { expect } from "chai";
import type { NewReward } from "../../../../contract/wire.ts";
import type { Success } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

type Redeemed = { user_input?: string; headers?: Record<string, string> };

describe("redeeming by REST", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const offer = ({ owner }: Channel, body: Partial<NewReward> = {}) =>
    owner.api.ok("createReward", { body: { title: "Hydrate", cost: 100, ...body } });
  const redeem = (by: Person, { id }: { id: string }, { headers = {}, ...body }: Redeemed = {}) =>
    by.api.call("redeemReward", { params: { reward_id: id }, body, headers });
  const redeemed = async (...given: Parameters<typeof redeem>) => {
    const answer = await redeem(...given);
    expect(answer.status, JSON.stringify(answer.body)).equal(201);
    return answer.body as Success<"redeemReward">;
  };
  const balanceOf = async (person: Person, { owner }: Channel) =>
    (await person.api.ok("getPoints", { params: { user_id: owner.id } })).balance;

  it("takes the price and keeps the reward as it was bought", async () => {
    const channel = await given.channel();
    const viewer = await given.followerOf(channel);
    const reward = await offer(channel, { requires_input: true });

    const bought = await redeemed(viewer, reward, { user_input: "Water, please" });
    await channel.owner.api.ok("updateReward", {
      params: { reward_id: reward.id },
      body: { cost: 7, title: "Sip" },
    });

    expect(bought).deep.include({ reward, user_input: "Water, please", status: "pending" });
    expect(bought.redeemer).include({ id: viewer.id });
    expect(await balanceOf(viewer, channel)).equal(200);
    const here = { channel_user_id: channel.owner.id };
    expect((await viewer.api.ok("listMyRedemptions")).items).deep.equal([bought]);
    expect((await viewer.api.ok("listMyRedemptions", { query: here })).items).deep.equal([bought]);
    const elsewhere = { channel_user_id: viewer.id };
    expect((await viewer.api.ok("listMyRedemptions", { query: elsewhere })).items).deep.equal([]);
    const ledger = await viewer.api.ok("getPointsLedger", { params: { user_id: channel.owner.id } });
    expect(ledger.items[0]).include({ delta: -100, reason: "redemption", ref: bought.id });
  });

  it("is fulfilled at once where the reward skips the queue", async () => {
    const channel = await given.channel();
    const viewer = await given.followerOf(channel);
    const bought = await redeemed(viewer, await offer(channel, { skip_queue: true }));

    expect(bought.status).equal("fulfilled");
    const params = { redemption_id: bought.id };
    const refused = await channel.owner.api.call("refundRedemption", { params });
    expect(refused).deep.include({ code: "invalid_state", details: { status: "fulfilled" } });
    const { items } = await viewer.api.ok("getRedemptionHistory", { params });
    expect(items.map(({ event, to }) => [event, to])).deep.equal([["create", "fulfilled"]]);
  });

  it("is refused by what the reward and the channel ask for", async () => {
    const channel = await given.channel();
    const [viewer, poor] = [await given.followerOf(channel), await given.user()];
    const reward = await offer(channel, { requires_input: true });
    const change = (body: object) =>
      channel.owner.api.ok("updateReward", { params: { reward_id: reward.id }, body });

    expect((await redeem(viewer, reward)).code).equal("input_required");
    const input = { user_input: "hello" };
    expect(await redeem(poor, reward, input)).deep.include({
      code: "insufficient_points",
      details: { balance: 0 },
    });
    await change({ is_enabled: false });
    expect((await redeem(viewer, reward, input)).code).equal("reward_disabled");
    await change({ is_enabled: true, is_paused: true });
    expect((await redeem(viewer, reward, input)).code).equal("reward_disabled");
    await change({ is_paused: false });
    const at = { ...channel.at, user_id: viewer.id };
    await channel.owner.api.ok("timeoutUser", { params: at, body: { duration_seconds: 60 } });
    const timedOut = await redeem(viewer, reward, input);
    expect(timedOut.code).equal("timed_out");
    expect(timedOut.details.retry_after_ms).within(1, 60_000);
    await channel.owner.api.ok("banUser", { params: at, body: {} });
    expect((await redeem(viewer, reward, input)).code).equal("banned");
    await channel.owner.api.ok("unbanUser", { params: at });
    expect((await redeem(viewer, { id: crypto.randomUUID() }, input)).code).equal("not_found");
    expect(await balanceOf(viewer, channel)).equal(300);
    expect((await redeem(viewer, reward, input)).status).equal(201);
  });

  it("makes nobody wait without a cooldown, nor one whose request came a moment before the last redemption", async () => {
    const channel = await given.channel();
    const [viewer, other] = [await given.followerOf(channel), await given.followerOf(channel)];
    for (const cooldown_seconds of [null, 0]) {
      const reward = await offer(channel, { title: `Sip ${cooldown_seconds}`, cost: 10, cooldown_seconds });
      await redeemed(viewer, reward);
      // As another worker's clock, or the wait of a request at it.
      world.clock.move(-1_000);

      expect((await redeemed(other, reward)).status).equal("pending");
      world.clock.move(1_000);
    }
  });

  it("waits for the cooldown, no matter who redeems, and says how long", async () => {
    const channel = await given.channel();
    const [one, other] = [await given.followerOf(channel), await given.followerOf(channel)];
    const reward = await offer(channel, { cooldown_seconds: 90 });

    await redeemed(one, reward);
    world.clock.move(30_000);
    const refused = await redeem(other, reward);

    expect(refused).include({ status: 409, code: "cooldown" });
    expect(refused.details.retry_after_ms).within(50_000, 60_000);
    expect(Number(refused.headers.get("retry-after"))).within(50, 60);
    world.clock.move(60_000);
    await redeemed(other, reward);
  });

  it("is limited for a broadcast and for each user in it, and begins anew with the next one", async () => {
    const channel = await given.liveChannel();
    const [one, other] = [await given.followerOf(channel), await given.followerOf(channel)];
    const reward = await offer(channel, { cost: 1, max_per_stream: 3, max_per_user_per_stream: 2 });

    await redeemed(one, reward);
    await redeemed(one, reward);
    const third = await redeem(one, reward);
    expect(third).deep.include({ code: "redemption_limit", details: { limit: 2, per: "user" } });
    await redeemed(other, reward);
    const full = await redeem(other, reward);
    expect(full).deep.include({ code: "redemption_limit", details: { limit: 3, per: "stream" } });

    await world.core.broadcasts.ownerBanned(channel.at.stream_id);
    expect((await redeem(one, reward)).code).equal("redemption_limit");
    await given.goLive(channel, "again");
    await redeemed(one, reward);
  });

  it("happens once for one Idempotency-Key, and parallel ones never take more than there is", async () => {
    const channel = await given.channel();
    const viewer = await given.followerOf(channel);
    const reward = await offer(channel);
    const headers = { "idempotency-key": "k1" };

    const [first, again] = await Promise.all([
      redeemed(viewer, reward, { headers }),
      redeemed(viewer, reward, { headers }),
    ]);
    expect(again).deep.equal(first);
    expect((await redeem(viewer, reward, { headers, user_input: "x" })).code).equal("idempotency_conflict");
    const rest = await Promise.all(Array.from({ length: 5 }, () => redeem(viewer, reward)));

    expect(rest.filter(({ status }) => status === 201)).length(2);
    expect(rest.filter(({ code }) => code === "insufficient_points")).length(3);
    expect(await balanceOf(viewer, channel)).equal(0);
  });
});
