import { expect } from "chai";
import type { Db } from "mongodb";
import type { PollDoc } from "../../../../store/mongo/chat/polls.ts";
import type { CheckoutDoc } from "../../../../store/mongo/monetization/checkouts.ts";
import type { HookDoc } from "../../../../store/mongo/monetization/hooks.ts";
import type { SubscriptionDoc } from "../../../../store/mongo/monetization/subscriptions.ts";
import type { TipDoc } from "../../../../store/mongo/monetization/tips.ts";
import type { BalanceDoc } from "../../../../store/mongo/points/balances.ts";
import type { BetDoc } from "../../../../store/mongo/points/bets.ts";
import type { PredictionDoc } from "../../../../store/mongo/points/predictions.ts";
import type { RedemptionDoc } from "../../../../store/mongo/points/redemptions.ts";
import type { RaidDoc } from "../../../../store/mongo/raids/raids.ts";
import type { ReportCaseDoc } from "../../../../store/mongo/safety/reports.ts";
import { expectExactEnd } from "../../chat/poll/counted-votes.ts";
import { expectFacts } from "../../notifications/expected-facts.ts";
import { expectAgreement, expectNothingLeftOver } from "../agreement.ts";
import { expectSettled, expectSoundLedger } from "../invariants.ts";
import { expectPrivateEvents, expectRoomEventsInOrder, type PublishedEvents } from "../published-events.ts";
import type { Stakes } from "./recovery.ts";
import { type Stage, VIEWER_POINTS } from "./scenario.ts";

type Case = { db: Db; stage: Stage; stakes: Stakes; published: PublishedEvents };

/** Checks all guarantees of one stage, after everything is over. */
export async function expectNothingWrong({ db, stage, stakes, published }: Case): Promise<void> {
  const { _id: streamId, userId: channelUserId } = stage.stream;
  const predictions = await db.collection<PredictionDoc>("predictions").find({ streamId }).toArray();
  expect(predictions.length, "predictions").at.most(1);
  const cases = await db.collection<ReportCaseDoc>("report_cases").find({ targetId: streamId }).toArray();
  const redemptions = await db.collection<RedemptionDoc>("redemptions").find({ streamId }).toArray();
  const raids = await db.collection<RaidDoc>("raids").find({ sourceStreamId: streamId }).toArray();
  const polls = await db.collection<PollDoc>("polls").find({ streamId }).toArray();
  const subscriptions = await db
    .collection<SubscriptionDoc>("subscriptions")
    .find({ channelUserId })
    .toArray();
  const actors = [
    `live-stream:${streamId}`,
    ...predictions.map(({ _id }) => `prediction:${_id}`),
    ...cases.map(({ _id }) => `report:${_id}`),
    ...redemptions.map(({ _id }) => `redemption:${_id}`),
    ...raids.map(({ _id }) => `raid:${_id}`),
    ...polls.map(({ _id }) => `poll:${_id}`),
  ];
  const others = [
    ...redemptions.map(({ rewardId }) => `reward:${rewardId}`),
    ...subscriptions.map(({ _id }) => `subscription:${_id}`),
  ];

  await expectNothingLeftOver(db);
  await expectAgreement(db, [...actors, ...new Set(others)]);
  await expectSoundLedger(db, channelUserId);
  await expectRoomEventsInOrder(db, published, actors);
  for (const { _id } of predictions) {
    await expectSettled(db, _id);
    await expectPrivateEvents(db, published, _id);
    await expectStakes(db, _id, stakes);
  }
  for (const redemption of redemptions) expectRedemptionEvents(redemption, published);
  for (const { targetUserId, status } of raids) {
    expect(status, "how a raid ended").oneOf(["completed", "cancelled"]);
    await expectSoundLedger(db, targetUserId);
  }
  for (const poll of polls) await expectExactEnd(db, poll, stage.viewers.length, published);
  await expectPaid(db, stage, published);
  await expectFacts(db, { streamId, ownerId: channelUserId });
  const balances = await db.collection<BalanceDoc>("balances").find({ channelUserId }).toArray();
  const points = balances.reduce((sum, { balance }) => sum + balance, 0);
  const spent = redemptions.reduce(
    (sum, { status, reward }) => sum + (status === "refunded" ? 0 : reward.cost),
    0,
  );
  expect(points + spent, "points of all viewers").equal(stage.viewers.length * VIEWER_POINTS);
}

/** Checks that the room received the purchase and the end, at least once each, and the redeemer the end. */
function expectRedemptionEvents(
  { _id, redeemerId, status }: RedemptionDoc,
  { room, privateEvents }: PublishedEvents,
): void {
  const received = room
    .filter(({ data }) => Object(data).id === _id)
    .map(({ type, data }) => `${type} ${Object(data).status}`);
  const due = [
    "redemption.created pending",
    ...(status === "pending" ? [] : [`redemption.updated ${status}`]),
  ];
  expect([...new Set(received)].sort(), `what the room received of ${_id}`).deep.equal(due);
  const own = privateEvents.filter(({ type, data }) => type === "redemption.updated" && data.id === _id);
  const ends = new Set(own.map(({ userId, data }) => `${userId} ${String(data.status)}`));
  expect([...ends], `what its redeemer received of ${_id}`).deep.equal(
    status === "pending" ? [] : [`${redeemerId} ${status}`],
  );
}

/** Checks that every acknowledged bet exists once, and one with a lost answer once or not at all. */
async function expectStakes(db: Db, predictionId: string, stakes: Stakes): Promise<void> {
  for (const [userId, { sure, maybe }] of stakes) {
    const bet = await db.collection<BetDoc>("bets").findOne({ predictionId, userId });
    const possible = [sure];
    for (const amount of maybe) possible.push(...possible.map((sum) => sum + amount));
    expect(possible, `the stake of ${userId}`).include(bet?.amount ?? 0);
  }
}

/**
 * Checks that reported payments were booked once: a paid tip is refunded in the end, a subscription exists, and the rooms
 * received both.
 */
async function expectPaid(db: Db, { stream }: Stage, { room }: PublishedEvents): Promise<void> {
  const hooks = await db.collection<HookDoc>("hooks").find({ "event.data.tip_id": stream._id }).toArray();
  const checkouts = await db.collection<HookDoc>("hooks").find({ subject: stream.userId }).toArray();
  for (const { _id, state } of [...hooks, ...checkouts]) expect(state, _id).equal("applied");
  const roomEventsOf = (type: string) =>
    room.filter((event) => event.type === type && event.streamId === stream._id);

  const tip = await db.collection<TipDoc>("tips").findOne({ _id: stream._id });
  if (tip) {
    expect(tip.status).equal("refunded");
    expect(roomEventsOf("tip.received").length, "tips that the room received").above(0);
    const calls = await db
      .collection("platform_calls")
      .find({ subject: `tip:${stream._id}` })
      .toArray();
    expect(calls.map(({ call }) => call)).deep.equal([
      { kind: "refund", platformId: tip.platformId, amountCents: tip.amountCents },
    ]);
  }
  const checkout = await db.collection<CheckoutDoc>("checkouts").findOne({ _id: stream.userId });
  if (!checkout) return;
  expect(checkout.paidAt, "when the checkout was paid").not.equal(null);
  const own = await db.collection("subscriptions").countDocuments({ channelUserId: stream.userId });
  expect(own, "subscriptions").equal(1);
  expect(roomEventsOf("subscription.started").length, "beginnings that the room received").above(0);
}
