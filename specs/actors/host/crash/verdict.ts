import { expect } from "chai";
import type { Db } from "mongodb";
import type { CheckoutDoc } from "../../../../store/mongo/monetization/checkouts.ts";
import type { HookDoc } from "../../../../store/mongo/monetization/hooks.ts";
import type { TipDoc } from "../../../../store/mongo/monetization/tips.ts";
import type { BalanceDoc } from "../../../../store/mongo/points/balances.ts";
import type { BetDoc } from "../../../../store/mongo/points/bets.ts";
import type { PredictionDoc } from "../../../../store/mongo/points/predictions.ts";
import type { RedemptionDoc } from "../../../../store/mongo/points/redemptions.ts";
import { SUBJECTS } from "../../generated/subjects.ts";
import { expectFacts } from "../../notifications/expected-facts.ts";
import { expectAgreement, expectNothingLeftOver } from "../agreement.ts";
import { expectRoomEventsInOrder } from "../announced-events.ts";
import { expectSoundLedger } from "../invariants.ts";
import type { PublishedEvents } from "../published-events.ts";
import type { Subject } from "../subject.ts";
import type { Stakes } from "./recovery.ts";
import { type Stage, VIEWER_POINTS } from "./scenario.ts";

type Case = { db: Db; stage: Stage; stakes: Stakes; published: PublishedEvents };

/** Checks all guarantees of one stage, after everything is over. */
export async function expectNothingWrong({ db, stage, stakes, published }: Case): Promise<void> {
  const { _id: streamId, userId: channelUserId } = stage.stream;
  const predictions = await db.collection<PredictionDoc>("predictions").find({ streamId }).toArray();
  expect(predictions.length, "predictions").at.most(1);
  const redemptions = await db.collection<RedemptionDoc>("redemptions").find({ streamId }).toArray();
  const actors: { subject: Subject; id: string }[] = [];
  for (const subject of SUBJECTS) {
    const ids = await subject.ofChannel(db, { streamId, channelUserId });
    actors.push(...ids.map((id) => ({ subject, id })));
  }
  const keys = actors.map(({ subject, id }) => `${subject.machine}:${id}`);

  await expectNothingLeftOver(db);
  await expectAgreement(db, keys);
  await expectSoundLedger(db, channelUserId);
  await expectRoomEventsInOrder(db, published, keys);
  const run = { viewers: stage.viewers.length, published };
  for (const { subject, id } of actors) await subject.expectEnd?.(db, id, run);
  for (const { _id } of predictions) await expectStakes(db, _id, stakes);
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
