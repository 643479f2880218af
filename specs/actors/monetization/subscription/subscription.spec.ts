import { expect } from "chai";
import { monthsAfter } from "../../../../actors/monetization/subscription/paid-time.ts";
import { newId } from "../../../../base/ids.ts";
import { openWorld, type World } from "../../host/world.ts";

const DAY = 86_400_000;

describe("A subscription, as it is kept", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  async function begun(change: { isGift?: boolean; happenedAt?: number } = {}) {
    const stream = await world.stream();
    const [id, subscriberId] = [newId(), await world.user()];
    const { isGift = false, happenedAt = world.clock.now() } = change;
    const people = { subscriberId, channelUserId: stream.userId };
    const payment = {
      id: newId(),
      happenedAt,
      isGift,
      giftedBy: null,
      tier: 2,
      priceCents: 999,
      platformId: isGift ? null : `p:${id}`,
    };
    await world.subscriptions.paid(id, people, payment);
    return { id, ...people, stream, payment, platformId: payment.platformId };
  }

  const statusOf = async (id: string) => (await world.subscriptions.require(id)).status;
  const reported = (type: "paymentFailed" | "stopped" | "resumed" | "ended", platformId: string | null) => ({
    type,
    id: newId(),
    happenedAt: world.clock.now(),
    platformId,
  });
  const renewal = (platformId: string | null, amountCents = 999) => ({
    type: "renewed" as const,
    id: newId(),
    happenedAt: world.clock.now(),
    amountCents,
    platformId,
  });
  const by = ({ subscriberId }: { subscriberId: string }) => ({ by: subscriberId });
  const callsAbout = async (id: string) =>
    (
      await world.mongo.db
        .collection("platform_calls")
        .find({ subject: `subscription:${id}` })
        .sort({ _id: 1 })
        .toArray()
    ).map(({ call }) => String(call.kind));

  it("waits a day for a renewal that isn't reported, then is past due, and ends seven days after what was paid", async () => {
    const fan = await begun();
    const { subscriberId, channelUserId, id } = fan;
    const entitled = () => world.subscriptions.tierOf(subscriberId, channelUserId);
    const month = monthsAfter(world.clock.now(), 1) - world.clock.now();
    await world.pass(month + DAY - 1_000);
    expect(await statusOf(id)).equal("active");
    await world.pass(1_000);
    expect(await statusOf(id)).equal("past_due");
    expect(await entitled()).equal(2);
    await world.pass(6 * DAY - 1_000);
    expect(await entitled()).equal(2);
    await world.pass(1_000);
    expect(await statusOf(id)).equal("expired");
    expect(await entitled()).equal(null);
    expect(await callsAbout(id)).deep.equal(["end"]);
  });

  it("is over by its time, also while no sweeper runs", async () => {
    const gift = await begun({ isGift: true });
    const { id, subscriberId, channelUserId } = gift;
    world.move(30 * DAY);
    expect(await world.subscriptions.tierOf(subscriberId, channelUserId)).equal(null);
    expect(await world.subscriptions.current(subscriberId, channelUserId)).equal(null);
    // A request meets what has happened by then.
    const late = await world.subscriptions.cancel(id, by(gift)).catch((err: { code: string }) => err.code);
    expect(late).equal("invalid_state");
    await world.pass(0);
    expect(await statusOf(id)).equal("expired");
  });

  it("does all that it is late for when no sweeper ran from before its renewal until after its grace", async () => {
    const [fan, leaver] = [await begun(), await begun()];
    await world.subscriptions.cancel(leaver.id, by(leaver));
    world.move(60 * DAY);
    for (const { subscriberId, channelUserId } of [fan, leaver])
      expect(await world.subscriptions.tierOf(subscriberId, channelUserId)).equal(null);
    const renewed = await world.subscriptions.report(fan.id, renewal(fan.platformId));

    await world.pass(0);
    await world.pass(0);

    expect([await statusOf(fan.id), await statusOf(leaver.id)]).deep.equal(["expired", "expired"]);
    expect(renewed).equal(false);
    const wayOf = async ({ id }: { id: string }) =>
      (await world.subscriptions.history(id, { skip: 0, limit: 10 })).items.map(({ to }) => to);
    expect(await wayOf(leaver)).deep.equal(["active", "cancelled", "expired"]);
    expect((await wayOf(fan)).at(-1)).equal("expired");
    expect(await callsAbout(fan.id)).deep.equal(["end"]);
  });

  it("goes past due with a payment that failed, and ends seven days later also when nobody sweeps meanwhile", async () => {
    const fan = await begun();
    const { id, platformId, subscriberId, channelUserId } = fan;
    const { renewsAt } = await world.subscriptions.require(id);
    world.move(renewsAt.getTime() - world.clock.now());
    await world.subscriptions.report(id, reported("paymentFailed", platformId));
    expect(await statusOf(id)).equal("past_due");
    world.move(7 * DAY - 1);
    expect(await world.subscriptions.tierOf(subscriberId, channelUserId)).equal(2);
    world.move(1);
    expect(await world.subscriptions.tierOf(subscriberId, channelUserId)).equal(null);
    expect(await statusOf(id)).equal("past_due");

    await world.pass(30 * DAY);

    expect(await statusOf(id)).equal("expired");
  });

  it("is ended at the platform also when the failed payment is reported after all grace", async () => {
    const fan = await begun();
    const { renewsAt } = await world.subscriptions.require(fan.id);
    world.move(renewsAt.getTime() - world.clock.now() + 8 * DAY);
    const failed = { ...reported("paymentFailed", fan.platformId), happenedAt: renewsAt.getTime() };
    await world.subscriptions.report(fan.id, failed);
    await world.pass(0);
    expect(await statusOf(fan.id)).equal("expired");
    expect(await callsAbout(fan.id)).deep.equal(["end"]);
  });

  it("lasts to the end of what is paid when it is cancelled, and goes on when that is taken back", async () => {
    const fan = await begun();
    const { id, platformId } = fan;
    await world.subscriptions.cancel(id, by(fan));
    await world.subscriptions.resume(id, by(fan));
    await world.subscriptions.cancel(id, by(fan));
    expect(await callsAbout(id)).deep.equal(["stop", "resume", "stop"]);
    await world.subscriptions.report(id, reported("stopped", platformId));
    const { renewsAt } = await world.subscriptions.require(id);
    await world.pass(renewsAt.getTime() - world.clock.now() - 1_000);
    expect(await statusOf(id)).equal("cancelled");
    await world.pass(1_000);
    expect(await statusOf(id)).equal("expired");
  });

  it("goes on when its cancellation is taken back at the platform, or is ended there once it is over", async () => {
    const [fan, late] = [await begun(), await begun()];
    for (const { id, platformId } of [fan, late])
      await world.subscriptions.report(id, reported("stopped", platformId));
    await world.subscriptions.report(fan.id, reported("resumed", fan.platformId));
    expect(await statusOf(fan.id)).equal("active");
    expect(await callsAbout(fan.id)).deep.equal([]);

    const { renewsAt } = await world.subscriptions.require(late.id);
    await world.pass(renewsAt.getTime() - world.clock.now());
    expect(await statusOf(late.id)).equal("expired");
    await world.subscriptions.report(late.id, reported("resumed", late.platformId));
    expect(await statusOf(late.id)).equal("expired");
    expect(await callsAbout(late.id)).deep.equal(["end"]);
  });

  it("books a renewal that was due when it was cancelled, and ends at the platform without it", async () => {
    const [here, there, unpaid] = [await begun(), await begun(), await begun()];
    const all = [here, there, unpaid];
    const { renewsAt } = await world.subscriptions.require(unpaid.id);
    world.move(renewsAt.getTime() - world.clock.now() + 600_000);
    for (const fan of [here, unpaid]) await world.subscriptions.cancel(fan.id, by(fan));
    await world.subscriptions.report(there.id, reported("stopped", there.platformId));
    for (const { id } of all) expect(await statusOf(id)).equal("cancelled");
    expect(await callsAbout(here.id)).deep.equal(["stop"]);
    const { subscriberId, channelUserId } = here;
    expect(await world.subscriptions.tierOf(subscriberId, channelUserId)).equal(2);

    await world.pass(3_000_000);
    for (const { id, platformId } of [here, there])
      expect(await world.subscriptions.report(id, renewal(platformId))).equal(true);
    await world.pass(DAY);

    expect(await statusOf(unpaid.id)).equal("expired");
    expect(await callsAbout(unpaid.id)).deep.equal(["stop", "end"]);
    for (const { id } of [here, there]) expect(await statusOf(id)).equal("cancelled");
    const until = (await world.subscriptions.require(here.id)).entitledUntil.getTime();
    await world.pass(until - world.clock.now());
    for (const { id } of [here, there]) expect(await statusOf(id)).equal("expired");
    expect(await callsAbout(here.id)).deep.equal(["stop"]);
  });

  it("begins as what it is by now, when its payment is reported late", async () => {
    const gift = await begun({ isGift: true, happenedAt: world.clock.now() - 31 * DAY });
    expect(await statusOf(gift.id)).equal("expired");
  });

  it("is one a subscriber and channel: another is refused, whichever comes first", async () => {
    const fan = await begun();
    const { subscriberId, channelUserId, payment } = fan;
    const refused = await world.subscriptions
      .paid(newId(), { subscriberId, channelUserId }, { ...payment, id: newId() })
      .catch((err: { code: string }) => err.code);
    expect(refused).equal("already_subscribed");

    const stream = await world.stream();
    const user = await world.user();
    const people = { subscriberId: user, channelUserId: stream.userId };
    const tries = await Promise.allSettled(
      [1, 2, 3].map(() => world.subscriptions.paid(newId(), people, { ...payment, id: newId() })),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).lengthOf(1);
  });

  it("is changed by one of several who ask at the same time", async () => {
    const fan = await begun();
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => world.subscriptions.cancel(fan.id, by(fan))));
    expect(all.filter(({ status }) => status === "fulfilled")).lengthOf(1);
    expect(await callsAbout(fan.id)).deep.equal(["stop"]);
  });

  it("announces its beginning and gifts to the room once, however often they are reported", async () => {
    const fan = await begun();
    const { id, subscriberId, channelUserId, payment, stream } = fan;
    const gift = { ...payment, id: newId(), isGift: true, giftedBy: await world.user(), platformId: null };
    for (const paid of [payment, gift, gift, payment])
      await world.subscriptions.paid(id, { subscriberId, channelUserId }, paid);
    await world.outbox.idle();
    const announced = world.room.filter(({ streamId }) => streamId === stream._id).map(({ type }) => type);
    expect(announced).deep.equal(["subscription.started", "subscription.gifted"]);
    expect(await callsAbout(id)).deep.equal(["postpone"]);
  });

  it("bills one thing at a time: the newest payment's, also when it is reported first", async () => {
    const older = await begun();
    const { subscriberId, channelUserId, payment, id } = older;
    const newer = { ...payment, id: newId(), platformId: "newer", happenedAt: payment.happenedAt + 5_000 };
    await world.subscriptions.paid(id, { subscriberId, channelUserId }, newer);
    expect(await callsAbout(id)).deep.equal(["end", "postpone"]);
    world.move(10_000);
    expect(await world.subscriptions.report(id, renewal(payment.platformId))).equal(false);
    expect(await world.subscriptions.report(id, renewal("newer"))).equal(true);

    const stream = await world.stream();
    const people = { subscriberId: await world.user(), channelUserId: stream.userId };
    const other = newId();
    await world.subscriptions.paid(other, people, { ...newer, id: newId(), platformId: "n" });
    await world.subscriptions.paid(other, people, { ...payment, id: newId(), platformId: "o" });
    const ended = await world.mongo.db
      .collection("platform_calls")
      .find({ subject: `subscription:${other}` })
      .toArray();
    expect(ended.filter(({ call }) => call.kind === "end").map(({ call }) => call.platformId)).deep.equal([
      "o",
    ]);
  });
});
