import { expect } from "chai";
import type { Db } from "mongodb";
import type { BalanceDoc } from "../../../store/mongo/balances.ts";
import type { BetDoc } from "../../../store/mongo/bets.ts";
import type { PredictionDoc } from "../../../store/mongo/predictions.ts";
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
  const actors = [
    `live-stream:${streamId}`,
    ...predictions.map(({ _id }) => `prediction:${_id}`),
    ...cases.map(({ _id }) => `report:${_id}`),
  ];

  await expectNothingLeftOver(db);
  await expectAgreement(db, actors);
  await expectSoundLedger(db, channelUserId);
  await expectHeardInOrder(db, heard, actors);
  for (const { _id } of predictions) {
    await expectSettled(db, _id);
    await expectHeardPrivately(db, heard, _id);
    await expectStakes(db, _id, stakes);
  }
  const balances = await db.collection<BalanceDoc>("balances").find({ channelUserId }).toArray();
  const points = balances.reduce((sum, { balance }) => sum + balance, 0);
  expect(points, "points of all viewers").equal(stage.viewers.length * VIEWER_POINTS);
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
