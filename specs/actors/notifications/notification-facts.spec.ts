import { expect } from "chai";
import { BROADCAST_GRACE_MS, FIRST_PICTURE_MS } from "../../../actors/live/live-stream/machine.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { RAID_COUNTDOWN_MS } from "../../../store/mongo/raids/raids.ts";
import { rewardOffer } from "../../support/reward-offer.ts";
import { openWorld, type World } from "../host/world.ts";
import { type Paying, payingOf } from "../monetization/payments/paying.ts";
import { factsOf } from "./expected-facts.ts";

describe("A notification fact is written with what happened, once:", () => {
  let world: World;
  let paying: Paying;
  before(async () => {
    world = await openWorld();
    paying = payingOf({ ...world.deps, actors: world });
  });
  after(() => world.close());

  const recordedFor = async (userId: string) =>
    (await factsOf(world.mongo.db, userId)).map(
      ({ _id: _, createdAt: _at, listedAt: _listed, ...fact }) => fact,
    );
  const row = (kind: string, type: string | null, userId: string, data: object) => ({
    kind,
    type,
    userId,
    toFollowers: false,
    data,
  });
  const live = async (stream: StreamDoc) => {
    await world.broadcasts.publish({ stream, clientId: "1" });
    await world.pass(FIRST_PICTURE_MS);
    return (await world.broadcasts.current(stream._id))?._id ?? "";
  };
  async function over(stream: StreamDoc): Promise<void> {
    await world.broadcasts.publishDone({ stream, clientId: "1" });
    await world.pass(BROADCAST_GRACE_MS);
  }

  it("a broadcast to its channel's followers, and not again when it comes back within ten minutes", async () => {
    const stream = await world.stream();
    const first = await live(stream);
    await over(stream);
    world.move(9 * MINUTE_MS);
    expect(await live(stream)).not.equal(first);
    await over(stream);
    world.move(11 * MINUTE_MS);
    const third = await live(stream);

    const due = (sessionId: string) => ({
      ...row("stream_live", "stream_live", stream.userId, { streamId: stream._id, sessionId }),
      toFollowers: true,
    });
    expect(await recordedFor(stream.userId)).deep.equal([due(first), due(third)]);
  });

  it("a raid that arrived to its target, and none that was cancelled", async () => {
    const [source, target] = [await world.stream(), await world.stream()];
    for (const stream of [source, target]) await live(stream);
    const begin = () => world.raids.begin({ source, target, message: null, by: source.userId });
    const { _id: cancelled } = await begin();
    await world.raids.cancel(cancelled, source.userId);
    const { _id: raidId } = await begin();
    const viewers = [newId(), newId()];
    await world.raids.membersCame(raidId, viewers, "worker");
    await world.pass(RAID_COUNTDOWN_MS);
    await world.raids.membersArrived(raidId, viewers);
    await world.pass(MINUTE_MS);
    await world.settled();

    const raids = (await recordedFor(target.userId)).filter(({ kind }) => kind === "raid");
    const data = { raidId, sourceUserId: source.userId, viewers: 2 };
    expect(raids).deep.equal([row("raid", "raid", target.userId, data)]);
  });

  it("a redemption's end to its redeemer, also when it is decided again; not that it was bought", async () => {
    const stream = await world.stream();
    const [viewer, other] = [await world.user(), await world.user()];
    for (const user of [viewer, other]) await world.give(user, stream, 1_000);
    const offer = (title: string, skipQueue: boolean) => rewardOffer({ title, skipQueue });
    const by = stream.userId;
    const { _id: rewardId } = await world.rewards.create({ stream, offer: offer("Hydrate", false), by });
    const { _id: quick } = await world.rewards.create({ stream, offer: offer("Confetti", true), by });
    await world.rewards.redeem({ rewardId: quick, userId: viewer, userInput: null });
    const redeem = async (userId: string) =>
      (await world.rewards.redeem({ rewardId, userId, userInput: null })).redemption;
    const [first, second, third] = [await redeem(viewer), await redeem(viewer), await redeem(other)];
    expect(await recordedFor(viewer)).deep.equal([]);

    for (let n = 0; n < 2; n++) await world.redemptions.fulfil(first, by, "mine");
    world.move(1);
    await world.redemptions.refund(second, by);
    await world.redemptions.refund(second, by).catch(() => undefined);
    await world.rewards.delete(rewardId, by);
    await world.settled();

    const due = (userId: string, redemptionId: string, status: string) =>
      row("redemption", null, userId, { redemptionId, rewardId, channelUserId: by, status });
    expect(await recordedFor(viewer)).deep.equal([
      due(viewer, first._id, "fulfilled"),
      due(viewer, second._id, "refunded"),
    ]);
    expect(await recordedFor(other)).deep.equal([due(other, third._id, "refunded")]);
    expect(await recordedFor(by)).deep.equal([]);
  });

  it("a subscription and a tip to the channel's owner, however often they are reported, and no renewal", async () => {
    const stream = await world.stream();
    const [subscriberId, fromUserId] = [await world.user(), await world.user()];
    const [checkout, subscriptionId, tipId] = [newId(), newId(), newId()];
    const { userId: channelUserId } = stream;
    await paying.beginSubscription(checkout, subscriptionId, { subscriberId, channelUserId });
    await paying.beginTip(tipId, { fromUserId, toUserId: channelUserId }, 500);

    for (let n = 0; n < 2; n++) await paying.checkoutPaid(checkout);
    await paying.renewed(checkout, subscriptionId);
    world.move(1);
    for (let n = 0; n < 2; n++) await paying.tipPaid(tipId, 500);
    await world.settled();

    expect(await recordedFor(channelUserId)).deep.equal([
      row("subscription", "subscription", channelUserId, { subscriptionId, tier: 1, subscriberId }),
      row("tip", "donation", channelUserId, { tipId, fromUserId, amountCents: 500, currency: "USD" }),
    ]);
    expect(await recordedFor(subscriberId)).deep.equal([]);
  });

  it("a gift to the channel's owner and to who gets it", async () => {
    const { userId: channelUserId } = await world.stream();
    const [subscriberId, giverId] = [await world.user(), await world.user()];
    const [id, ref] = [newId(), newId()];
    const gift = { id: ref, happenedAt: world.clock.now(), isGift: true, giftedBy: giverId, tier: 2 };
    const give = () =>
      world.subscriptions.paid(
        id,
        { subscriberId, channelUserId },
        { ...gift, priceCents: 999, platformId: null },
      );
    for (let n = 0; n < 2; n++) await give();

    const data = { subscriptionId: id, tier: 2, giverId };
    expect(await recordedFor(channelUserId)).deep.equal([
      row("gift", "subscription", channelUserId, { ...data, subscriberId }),
    ]);
    expect(await recordedFor(subscriberId)).deep.equal([
      row("gift_received", "subscription", subscriberId, { ...data, channelUserId }),
    ]);
  });

  it("how a report ended to its reporters, and each measure to whom it is about", async () => {
    const [target, staffId] = [await world.user(), newId()];
    const reporters = [await world.user(), await world.user()];
    const about = {
      targetType: "user" as const,
      targetId: target,
      reasonCode: "hate" as const,
      details: null,
    };
    const reports = [];
    for (const reporterId of [...reporters, null])
      reports.push(await world.reports.report({ reporterId, ...about }));
    const caseId = reports[0]?.caseId ?? "";
    await world.reports.claim({ caseId, staffId });
    const measures = (["warning", "strike", "account_ban"] as const).map((type) => ({
      id: newId(),
      type,
      reason: "Hate",
      durationSeconds: null,
      streamId: null,
    }));
    await world.reports.act({ caseId, staffId }, measures, null);
    await world.reports.act({ caseId, staffId }, measures, null).catch(() => undefined);
    await world.settled();

    for (const [i, userId] of reporters.entries()) {
      const data = { reportId: reports[i]?._id, targetType: "user", targetId: target, status: "actioned" };
      expect(await recordedFor(userId)).deep.equal([row("report", null, userId, data)]);
    }
    const until = new Date(world.clock.now() + 90 * 86_400_000);
    const due = measures.map(({ id, type: measure }) =>
      row("measure", null, target, {
        id,
        measure,
        reason: "Hate",
        until: measure === "strike" ? until : null,
      }),
    );
    const byMeasure = (facts: { data: object }[]) =>
      facts.sort((a, b) => JSON.stringify(a.data).localeCompare(JSON.stringify(b.data)));
    expect(byMeasure(await recordedFor(target))).deep.equal(byMeasure(due));
  });
});
