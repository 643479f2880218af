import { expect } from "chai";
import type { Db } from "mongodb";
import type { BalanceDoc } from "../../../store/mongo/balances.ts";
import type { BetDoc } from "../../../store/mongo/bets.ts";
import type { PredictionDoc } from "../../../store/mongo/predictions.ts";
import type { RedemptionDoc } from "../../../store/mongo/redemptions.ts";
import type { ReportCaseDoc } from "../../../store/mongo/reports.ts";
import { expectAgreement, expectNothingLeftOver } from "../agreement.ts";
import { expectHeardInOrder, expectHeardPrivately, type Heard } from "../heard.ts";
import { expectSettled, expectSoundLedger } from "../invariants.ts";
import type { Stakes } from "./recovery.ts";
import { type Stage, VIEWER_POINTS } from "./scenario.ts";

type Case = { db: Db; stage: Stage; stakes: Stakes; heard: Heard };

/** Everything that was promised of one stage, after all is over. */
export async function expectNothingWrong({ db, stage, stakes, heard }: Case): Promise<void> {
  const { _id: streamId, userId: channelUserId } = stage.stream;
  const predictions = await db.collection<PredictionDoc>("predictions").find({ streamId }).toArray();
  expect(predictions.length, "predictions").at.most(1);
  const cases = await db.collection<ReportCaseDoc>("report_cases").find({ targetId: streamId }).toArray();
  const redemptions = await db.collection<RedemptionDoc>("redemptions").find({ streamId }).toArray();
  const actors = [
    `live-stream:${streamId}`,
    ...predictions.map(({ _id }) => `prediction:${_id}`),
    ...cases.map(({ _id }) => `report:${_id}`),
    ...redemptions.map(({ _id }) => `redemption:${_id}`),
  ];

  await expectNothingLeftOver(db);
  await expectAgreement(db, [...actors, ...new Set(redemptions.map(({ rewardId }) => `reward:${rewardId}`))]);
  await expectSoundLedger(db, channelUserId);
  await expectHeardInOrder(db, heard, actors);
  for (const { _id } of predictions) {
    await expectSettled(db, _id);
    await expectHeardPrivately(db, heard, _id);
    await expectStakes(db, _id, stakes);
  }
  for (const redemption of redemptions) expectTold(redemption, heard);
  const balances = await db.collection<BalanceDoc>("balances").find({ channelUserId }).toArray();
  const points = balances.reduce((sum, { balance }) => sum + balance, 0);
  const spent = redemptions.reduce(
    (sum, { status, reward }) => sum + (status === "refunded" ? 0 : reward.cost),
    0,
  );
  expect(points + spent, "points of all viewers").equal(stage.viewers.length * VIEWER_POINTS);
}

/** The room heard that it was bought and that it ended, at least once each; its redeemer that it ended. */
function expectTold({ _id, redeemerId, status }: RedemptionDoc, { room, privateEvents }: Heard): void {
  const told = room
    .filter(({ data }) => Object(data).id === _id)
    .map(({ type, data }) => `${type} ${Object(data).status}`);
  const due = [
    "redemption.created pending",
    ...(status === "pending" ? [] : [`redemption.updated ${status}`]),
  ];
  expect([...new Set(told)].sort(), `what the room heard of ${_id}`).deep.equal(due);
  const own = privateEvents.filter(({ type, data }) => type === "redemption.updated" && data.id === _id);
  const ends = new Set(own.map(({ userId, data }) => `${userId} ${String(data.status)}`));
  expect([...ends], `what its redeemer heard of ${_id}`).deep.equal(
    status === "pending" ? [] : [`${redeemerId} ${status}`],
  );
}

/** Every bet that was answered is there once; one whose answer nobody heard is there once or not at all. */
async function expectStakes(db: Db, predictionId: string, stakes: Stakes): Promise<void> {
  for (const [userId, { sure, maybe }] of stakes) {
    const bet = await db.collection<BetDoc>("bets").findOne({ predictionId, userId });
    const possible = [sure];
    for (const amount of maybe) possible.push(...possible.map((sum) => sum + amount));
    expect(possible, `the stake of ${userId}`).include(bet?.amount ?? 0);
  }
}
