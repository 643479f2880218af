import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BettorFigures, BettorInput } from "./bettor.ts";
import type { Stage } from "./stage.ts";

const BETTOR = fileURLToPath(new URL("./bettor.ts", import.meta.url));

const WARM_UP_MS = 3_000;

type BetsFigures = {
  accepted: number;
  /** Before the figures began. */
  warm: number;
  failed: number;
  ms: number;
  latencies: number[];
  shares: number[];
};

type Load = { processes: number; inFlight: number; keyed: boolean; users: number; ms: number };

/** Bets on one prediction from so many processes, with `inFlight` requests under way in all. */
export async function bets(stage: Stage, load: Load): Promise<BetsFigures> {
  const stream = await stage.stream();
  const users = await stage.viewers(stream, load.users, 100_000);
  const prediction = await stage.prediction(stream);
  const outcomeIds = prediction.outcomes.map((outcome) => outcome.id);
  const spent = await spend(stage, load, users, { predictionId: prediction._id, outcomeIds });
  const { outcomes } = await stage.predictions.require(prediction._id);
  requireAll(
    spent,
    outcomes.reduce((sum, outcome) => sum + outcome.pointsPool, 0),
  );
  return spent;
}

/** Redemptions of one reward, which has every limit but no cooldown, alike. */
export async function redemptions(stage: Stage, load: Load): Promise<BetsFigures> {
  const stream = await stage.stream();
  const users = await stage.viewers(stream, load.users, 100_000);
  await stage.accounts(users);
  const { _id: rewardId } = await stage.reward(stream);
  const spent = await spend(stage, load, users, { rewardId });
  requireAll(spent, await stage.mongo.db.collection("redemptions").countDocuments({ rewardId }));
  return spent;
}

function requireAll({ accepted, warm }: BetsFigures, stored: number): void {
  if (stored < warm + accepted) throw new Error(`${warm + accepted} were acknowledged, ${stored} are stored`);
}

async function spend(
  stage: Stage,
  { processes, inFlight, keyed, ms }: Load,
  users: string[],
  on: BettorInput["on"],
): Promise<BetsFigures> {
  const inputs = Array.from({ length: processes }, (_, i): BettorInput => {
    return {
      database: stage.mongo.db.databaseName,
      on,
      users: users.filter((_user, n) => n % processes === i),
      inFlight: Math.floor(inFlight / processes),
      keyed,
      warmUpMs: WARM_UP_MS,
      ms,
    };
  });
  const children = inputs.map(() => fork(BETTOR, [], { execArgv: ["--import", "tsx"] }));
  try {
    const nextMessages = () => Promise.all(children.map((child) => once(child, "message")));
    await nextMessages();
    const set = nextMessages();
    for (const [i, child] of children.entries()) child.send(inputs[i] ?? {});
    await set;
    const done = children.map(async (child): Promise<BettorFigures> => (await once(child, "message"))[0]);
    for (const child of children) child.send("go");
    const gone = Promise.all(children.map((child) => once(child, "exit")));
    const all = await Promise.all(done);
    await gone;
    const total = all.reduce((sum, one) => sum + one.accepted, 0);
    return {
      accepted: total,
      warm: all.reduce((sum, one) => sum + one.warm, 0),
      failed: all.reduce((sum, one) => sum + one.failed, 0),
      ms: Math.max(...all.map((one) => one.ms)),
      latencies: all.flatMap((one) => one.latencies),
      shares: all.map((one) => one.accepted / total),
    };
  } finally {
    for (const child of children) child.kill("SIGKILL");
  }
}
