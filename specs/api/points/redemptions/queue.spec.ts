import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import type { NewReward } from "../../../../contract/wire.ts";
import { Socket } from "../../../realtime/gateway/world.ts";
import type { Success } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("the queue of redemptions by REST", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  const offer = ({ owner }: Channel, body: Partial<NewReward> = {}) =>
    owner.api.ok("createReward", { body: { title: "Hydrate", cost: 100, ...body } });
  const redeem = (by: Person, { id }: { id: string }) =>
    by.api.ok("redeemReward", { params: { reward_id: id }, body: {} });
  const balanceOf = async (person: Person, { owner }: Channel) =>
    (await person.api.ok("getPoints", { params: { user_id: owner.id } })).balance;
  const at = ({ id }: { id: string }) => ({ params: { redemption_id: id } });

  async function follow(path: string, person: Person): Promise<Socket> {
    const { ticket } = await person.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}${path}?ticket=${ticket}`, undefined, {});
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  it("is decided by owner and moderators; a refund gives back exactly what was paid, once", async () => {
    const channel = await given.channel();
    const [viewer, moderator] = [await given.followerOf(channel), await given.moderatorOf(channel)];
    const reward = await offer(channel);
    const [one, two] = [await redeem(viewer, reward), await redeem(viewer, reward)];
    await channel.owner.api.ok("updateReward", { params: { reward_id: reward.id }, body: { cost: 1 } });

    const fulfilled = await moderator.api.ok("fulfilRedemption", at(one));
    const refunded = await channel.owner.api.ok("refundRedemption", at(two));

    expect(fulfilled).deep.equal({ ...one, status: "fulfilled" });
    expect(refunded).deep.equal({ ...two, status: "refunded" });
    expect(await balanceOf(viewer, channel)).equal(200);
    for (const [operation, redemption, status] of [
      ["refundRedemption", one, "fulfilled"],
      ["refundRedemption", two, "refunded"],
      ["fulfilRedemption", two, "refunded"],
    ] as const) {
      const refused = await moderator.api.call(operation, at(redemption));
      expect(refused).deep.include({ status: 409, code: "invalid_state", details: { status } });
    }
    expect(await balanceOf(viewer, channel)).equal(200);
    expect((await viewer.api.call("refundRedemption", at(one))).code).equal("forbidden");
  });

  it("is listed by status and reward, for those who moderate", async () => {
    const channel = await given.channel();
    const [viewer, moderator] = [await given.followerOf(channel), await given.moderatorOf(channel)];
    const [sip, nod] = [await offer(channel, { cost: 1 }), await offer(channel, { title: "Nod", cost: 1 })];
    const first = await redeem(viewer, sip);
    const second = await redeem(viewer, nod);
    const third = await redeem(viewer, sip);
    await channel.owner.api.ok("fulfilRedemption", at(first));
    const listed = async (query: Record<string, string>, by = channel.owner) =>
      (await by.api.ok("listRedemptions", { query })).items.map(({ id }) => id);

    expect(await listed({})).deep.equal([third.id, second.id, first.id]);
    expect(await listed({ status: "pending" })).deep.equal([third.id, second.id]);
    expect(await listed({ reward_id: sip.id })).deep.equal([third.id, first.id]);
    expect(await listed({ reward_id: sip.id, status: "fulfilled" })).deep.equal([first.id]);
    const elsewhere = { channel_user_id: channel.owner.id };
    expect(await listed(elsewhere, moderator)).deep.equal([third.id, second.id, first.id]);
    expect(await listed({}, moderator)).deep.equal([]);
    expect((await viewer.api.call("listRedemptions", { query: elsewhere })).code).equal("forbidden");
    const nobody = { channel_user_id: crypto.randomUUID() };
    expect((await viewer.api.call("listRedemptions", { query: nobody })).code).equal("not_found");
  });

  it("lets one of two moderators win, time and again", async () => {
    const channel = await given.channel();
    const [viewer, moderator] = [await given.followerOf(channel), await given.moderatorOf(channel)];
    const reward = await offer(channel, { cost: 1 });
    let left = 300;
    for (let round = 0; round < 10; round++) {
      const redemption = await redeem(viewer, reward);
      const [fulfilled, refunded] = await Promise.all([
        moderator.api.call("fulfilRedemption", at(redemption)),
        channel.owner.api.call("refundRedemption", at(redemption)),
      ]);
      expect([fulfilled.status, refunded.status].sort()).deep.equal([200, 409]);
      const loser = fulfilled.status === 409 ? fulfilled : refunded;
      expect(loser.code).equal("invalid_state");
      if (fulfilled.status === 200) left -= 1;
    }
    expect(await balanceOf(viewer, channel)).equal(left);
  });

  it("is decided in bulk, each by itself", async () => {
    const [channel, other] = [await given.channel(), await given.channel()];
    const viewer = await given.followerOf(channel);
    await viewer.api.ok("followUser", { params: { user_id: other.owner.id } });
    const reward = await offer(channel, { cost: 10 });
    const [one, two, done] = [
      await redeem(viewer, reward),
      await redeem(viewer, reward),
      await redeem(viewer, reward),
    ];
    await channel.owner.api.ok("fulfilRedemption", at(done));
    const foreign = await redeem(viewer, await offer(other));
    const unknown = crypto.randomUUID();

    const ids = [one.id, done.id, foreign.id, unknown, two.id];
    const { items } = await channel.owner.api.ok("decideRedemptions", { body: { ids, action: "refund" } });

    expect(items.map(({ id }) => id)).deep.equal(ids);
    expect(items.map(({ status, error }) => [status, error?.code])).deep.equal([
      ["refunded", undefined],
      ["fulfilled", "invalid_state"],
      [null, "forbidden"],
      [null, "not_found"],
      ["refunded", undefined],
    ]);
    expect(await balanceOf(viewer, channel)).equal(290);
    expect(await balanceOf(viewer, other)).equal(200);
    const many = { ids: Array.from({ length: 51 }, () => crypto.randomUUID()), action: "fulfil" };
    expect((await channel.owner.api.call("decideRedemptions", { body: many })).code).equal(
      "validation_failed",
    );
  });

  it("is refunded in bulk, also fifty of one redeemer and by several at once", async () => {
    const channel = await given.channel();
    const [viewer, moderator] = [await given.followerOf(channel), await given.moderatorOf(channel)];
    const reward = await offer(channel, { cost: 6 });
    const ids: string[] = [];
    for (let n = 0; n < 50; n++) ids.push((await redeem(viewer, reward)).id);
    expect(await balanceOf(viewer, channel)).equal(0);
    const refund = (by: Person) => by.api.ok("decideRedemptions", { body: { ids, action: "refund" } });

    const answers = await Promise.all([refund(channel.owner), refund(moderator)]);

    for (const { items } of answers) {
      expect(items.map(({ id }) => id)).deep.equal(ids);
      expect(new Set(items.map(({ status }) => status))).deep.equal(new Set(["refunded"]));
    }
    const refusals = answers.flatMap(({ items }) => items.flatMap(({ error }) => error?.code ?? []));
    expect(refusals).deep.equal(Array(50).fill("invalid_state"));
    expect(await balanceOf(viewer, channel)).equal(300);
  });

  it("is redeemed sixty times a minute by one user, and decided in bulk twenty times", async () => {
    const channel = await given.channel();
    const viewer = await given.followerOf(channel);
    const reward = await offer(channel, { cost: 1 });
    for (let n = 0; n < 60; n++) await redeem(viewer, reward);
    const body = { ids: [crypto.randomUUID()], action: "fulfil" as const };
    for (let n = 0; n < 20; n++) await channel.owner.api.ok("decideRedemptions", { body });

    const refused = await redeemCall(viewer, reward);
    expect([refused.code, refused.details?.bucket]).deep.equal(["rate_limited", "redemptions"]);
    const bulk = await channel.owner.api.call("decideRedemptions", { body });
    expect([bulk.code, bulk.details?.bucket]).deep.equal(["rate_limited", "bulk"]);
  });

  it("is refunded when the reward is deleted, save for what was decided", async () => {
    const channel = await given.channel();
    const [viewer, other] = [await given.followerOf(channel), await given.followerOf(channel)];
    const reward = await offer(channel, { cost: 30 });
    const done = await redeem(viewer, reward);
    await channel.owner.api.ok("fulfilRedemption", at(done));
    const pending = [await redeem(viewer, reward), await redeem(other, reward)];

    await channel.owner.api.call("deleteReward", { params: { reward_id: reward.id } });

    await eventually(async () => {
      expect(await balanceOf(viewer, channel)).equal(270);
      expect(await balanceOf(other, channel)).equal(300);
    });
    const refused = await channel.owner.api.call("fulfilRedemption", at(pending[0] ?? done));
    expect(refused).deep.include({ code: "invalid_state", details: { status: "refunded" } });
    const { items } = await viewer.api.ok("getRedemptionHistory", at(pending[0] ?? done));
    expect(items.map(({ event, from, to, by }) => ({ event, from, to, by }))).deep.equal([
      { event: "create", from: null, to: "pending", by: viewer.id },
      { event: "rewardDeleted", from: "pending", to: "refunded", by: null },
    ]);
    expect((await redeemCall(viewer, reward)).code).equal("not_found");
  });

  const redeemCall = (by: Person, { id }: { id: string }) =>
    by.api.call("redeemReward", { params: { reward_id: id }, body: {} });

  it("is refunded after thirty days, also when a decision comes before the sweep", async () => {
    const channel = await given.channel();
    const viewer = await given.followerOf(channel);
    const reward = await offer(channel);
    const [swept, late] = [await redeem(viewer, reward), await redeem(viewer, reward)];
    world.clock.move(30 * DAY_MS - 60_000);
    const fresh = await given.signedInAgain(viewer);
    const young = await redeem(fresh, reward);
    await world.core.redemptions.refundExpired();
    expect(await balanceOf(fresh, channel)).equal(0);
    world.clock.move(60_000);

    const owner = await given.signedInAgain(channel.owner);
    const refused = await owner.api.call("fulfilRedemption", at(late));
    await world.core.redemptions.refundExpired();

    expect(refused).deep.include({ code: "invalid_state", details: { status: "refunded" } });
    expect(await balanceOf(fresh, channel)).equal(200);
    const { items } = await fresh.api.ok("listMyRedemptions");
    const statuses = new Map(items.map(({ id, status }) => [id, status]));
    expect([swept, late, young].map(({ id }) => statuses.get(id))).deep.equal([
      "refunded",
      "refunded",
      "pending",
    ]);
    const history = await owner.api.ok("getRedemptionHistory", at(swept));
    expect(history.items.map(({ event, to, by }) => [event, to, by])).deep.equal([
      ["create", "pending", viewer.id],
      ["timer", "refunded", null],
    ]);
  });

  it("is published to the room, and the own redemptions to the redeemer", async () => {
    const channel = await given.channel();
    const viewer = await given.followerOf(channel);
    const room = await follow(`/v1/ws/chat/${channel.at.stream_id}`, await given.user());
    const own = await follow("/v1/ws/user", viewer);
    const reward = await offer(channel);

    const redemption = await redeem(viewer, reward);
    expect((await room.next("redemption.created")).data).deep.equal(redemption);
    await eventually(() => own.ofType("points.changed").length === 1);
    const refunded = await channel.owner.api.ok("refundRedemption", at(redemption));

    expect((await room.next("redemption.updated")).data).deep.equal(refunded);
    expect((await own.next("redemption.updated")).data).deep.equal(refunded);
    await eventually(() => own.ofType("points.changed").length === 2);
    const changes = own.ofType("points.changed").map(({ data }) => data as Record<string, unknown>);
    expect(changes.map(({ balance, delta, reason }) => [balance, delta, reason])).deep.equal([
      [200, -100, "redemption"],
      [300, 100, "refund"],
    ]);
    expect([...room.problems, ...own.problems]).deep.equal([]);
  });

  it("shows what was written to the redeemer and by REST to moderators, never to the room", async () => {
    const channel = await given.channel();
    const [viewer, moderator] = [await given.followerOf(channel), await given.moderatorOf(channel)];
    const rooms = [
      await follow(`/v1/ws/chat/${channel.at.stream_id}`, await given.user()),
      await follow(`/v1/ws/chat/${channel.at.stream_id}`, viewer),
    ];
    const own = await follow("/v1/ws/user", viewer);
    const reward = await offer(channel, { requires_input: true, cost: 10 });
    const redeemWithInput = () =>
      viewer.api.ok("redeemReward", {
        params: { reward_id: reward.id },
        body: { user_input: "Steve" },
      });

    const [redemption, other] = [await redeemWithInput(), await redeemWithInput()];
    const refunded = await moderator.api.ok("refundRedemption", at(redemption));
    await channel.owner.api.call("deleteReward", { params: { reward_id: reward.id } });

    expect([redemption.user_input, refunded.user_input]).deep.equal(["Steve", "Steve"]);
    const listed = await moderator.api.ok("listRedemptions", {
      query: { channel_user_id: channel.owner.id },
    });
    expect(listed.items.map(({ user_input }) => user_input)).deep.equal(["Steve", "Steve"]);
    const dataOf = (socket: Socket, type: string) => socket.ofType(type).map(({ data }) => data);
    const gone = { ...other, status: "refunded" };
    await eventually(() => [...rooms, own].every((one) => one.ofType("redemption.updated").length === 2));
    expect(dataOf(own, "redemption.updated")).deep.equal([refunded, gone]);
    const mute = (redemptions: object[]) => redemptions.map((one) => ({ ...one, user_input: null }));
    for (const room of rooms) {
      expect(dataOf(room, "redemption.created")).deep.equal(mute([redemption, other]));
      expect(dataOf(room, "redemption.updated")).deep.equal(mute([refunded, gone]));
    }
  });

  it("has a history for the channel's owner, the redeemer and staff alone", async () => {
    const channel = await given.channel();
    const [viewer, moderator] = [await given.followerOf(channel), await given.moderatorOf(channel)];
    const redemption = await redeem(viewer, await offer(channel));
    const historyFor = async (person: Person) =>
      (
        (await person.api.ok("getRedemptionHistory", at(redemption))) as Success<"getRedemptionHistory">
      ).items.map(({ event, from, to, by }) => ({ event, from, to, by }));

    const bought = { event: "create", from: null, to: "pending", by: viewer.id };
    expect(await historyFor(viewer)).deep.equal([bought]);
    await moderator.api.ok("fulfilRedemption", at(redemption));
    const done = { event: "fulfil", from: "pending", to: "fulfilled", by: moderator.id };
    expect(await historyFor(channel.owner)).deep.equal([bought, done]);
    expect(await historyFor(viewer)).deep.equal([bought, { ...done, by: null }]);
    for (const stranger of [moderator, await given.user()])
      expect((await stranger.api.call("getRedemptionHistory", at(redemption))).code).equal("forbidden");
  });
});
