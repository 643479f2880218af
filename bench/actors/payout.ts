import { performance } from "node:perf_hooks";
import { accounts, payAll } from "./baselines.ts";
import type { Stage } from "./stage.ts";

const BETTORS_AT_ONCE = 500;
/** The host's own batch, so that both write the same number of transactions. */
const BATCH = 1_000;
const QUIET_MS = 5_000;

type PayoutFigures = {
  winners: number;
  ms: number;
  bareMs: number;
  others: { quiet: number[]; besideBare: number[]; busy: number[] };
};

/** Everybody wins: the time to pay `winners` of them beside the bare bulk writes, each while others go on; and what these feel. */
export async function payout(
  stage: Stage,
  winners: number,
  say: (line: string) => void,
): Promise<PayoutFigures> {
  const stream = await stage.stream();
  const users = await stage.viewers(stream, winners, 100);
  const prediction = await stage.prediction(stream);
  const [outcome] = prediction.outcomes;
  if (!outcome) throw new Error("a prediction has outcomes");
  say(`placing ${winners} bets …`);
  let next = 0;
  const bettor = async () => {
    for (let user = users[next++]; user !== undefined; user = users[next++]) {
      await stage.predictions.bet({
        predictionId: prediction._id,
        userId: user,
        outcomeId: outcome.id,
        amount: 10,
      });
    }
  };
  await Promise.all(Array.from({ length: BETTORS_AT_ONCE }, bettor));

  say("how fast others are served, quiet …");
  const quietUntil = performance.now() + QUIET_MS;
  const quiet = await transitions(stage, async () => performance.now() > quietUntil);

  say("paying by bare bulk writes, with the others …");
  const bare = { client: stage.mongo.client, db: stage.mongo.db };
  await accounts(bare, "bare", users, 100);
  let bareMs = 0;
  const bareFrom = performance.now();
  const paying = payAll(bare, "bare", users, BATCH).then(() => {
    bareMs = performance.now() - bareFrom;
  });
  const besideBare = await transitions(stage, async () => bareMs > 0);
  await paying;

  say("resolving, with the others …");
  const from = performance.now();
  await stage.predictions.resolve(prediction._id, outcome.id, stream.userId);
  let ms = 0;
  const busy = await transitions(stage, async () => {
    const { isSettled } = await stage.predictions.require(prediction._id);
    if (isSettled) ms = performance.now() - from;
    return isSettled;
  });
  if ((await stage.points.sumOfPrediction(prediction._id)) !== 0)
    throw new Error("the prediction isn't settled");
  return { winners, ms, bareMs, others: { quiet, besideBare, busy } };
}

/** Opens and cancels predictions of other channels, one after the other; the time that each step took, ms. */
async function transitions(stage: Stage, isOver: () => Promise<boolean>): Promise<number[]> {
  const took: number[] = [];
  while (!(await isOver())) {
    const stream = await stage.stream();
    const opened = await timed(took, () => stage.prediction(stream));
    await timed(took, () => stage.predictions.cancel(opened._id, stream.userId));
  }
  return took;
}

async function timed<T>(took: number[], work: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await work();
  took.push(performance.now() - from);
  return result;
}
