/** A process that bets or redeems in a closed loop, as an api worker with that many requests under way; its figures go to its parent. */
import { once } from "node:events";
import { newId } from "../../base/ids.ts";
import { ServiceError } from "../../contract/errors.ts";
import { openStage } from "./stage.ts";

export type BettorInput = {
  database: string;
  /** What it spends points on. */
  on: { predictionId: string; outcomeIds: string[] } | { rewardId: string };
  users: string[];
  inFlight: number;
  /** Whether each request has an Idempotency-Key. */
  keyed: boolean;
  /** First so long for the compiler to warm up, uncounted, then so long for the figures. */
  warmUpMs: number;
  ms: number;
};

export type BettorFigures = {
  accepted: number;
  refused: number;
  failed: number;
  ms: number;
  latencies: number[];
  /** Accepted before the figures began. */
  warm: number;
};

const firstMessage = once(process, "message");
process.send?.("ready");
const input: BettorInput = (await firstMessage)[0];
const stage = await openStage(input.database);
const none = (): BettorFigures => ({ accepted: 0, refused: 0, failed: 0, ms: 0, latencies: [], warm: 0 });
let figures = none();
let next = 0;

function spend(place: number): Promise<unknown> {
  const by = { userId: input.users[place] ?? "", key: input.keyed ? newId() : null };
  if ("rewardId" in input.on) return stage.rewards.redeem({ ...input.on, ...by, userInput: null });
  const { predictionId, outcomeIds } = input.on;
  // A user stays with an outcome, so that a second bet raises the first.
  const outcomeId = outcomeIds[place % outcomeIds.length] ?? "";
  return stage.predictions.bet({ predictionId, outcomeId, amount: 1, ...by });
}

async function spendOnce(): Promise<void> {
  const turn = next++;
  const from = performance.now();
  try {
    await spend(turn % input.users.length);
    figures.accepted++;
  } catch (err) {
    if (!(err instanceof ServiceError)) throw err;
    if (err.code === "unavailable") figures.failed++;
    else figures.refused++;
  }
  figures.latencies.push(performance.now() - from);
}

const start = once(process, "message");
process.send?.("set");
await start;
const until = performance.now() + input.warmUpMs + input.ms;
const loop = async () => {
  while (performance.now() < until) await spendOnce();
};
let warm = 0;
setTimeout(() => {
  warm = figures.accepted;
  figures = none();
}, input.warmUpMs);
const from = performance.now() + input.warmUpMs;
await Promise.all(Array.from({ length: input.inFlight }, loop));
figures.ms = performance.now() - from;
figures.warm = warm;
await stage.close();
process.send?.(figures, () => process.disconnect());
