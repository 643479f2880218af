/** A process with its own actors on the shared stores: bets on one prediction for the duration of each round. */
import { createActors } from "../../../../actors/actors.ts";
import { processClock } from "../../../../base/clock.ts";
import { newId } from "../../../../base/ids.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import { hasFields, inputFromParent, sendToParent } from "../../../stress/parent.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { openStores } from "../../../support/stores.ts";

export type BettorInput = {
  database: string;
  redisUrl: string;
  predictionId: string;
  outcomeId: string;
  users: string[];
  /** Number of concurrent bets. */
  window: number;
};

/** One round of betting; answered with a Tally of the same number. */
export type Round = { round: number; ms: number };

export type Tally = { round: number; accepted: number; failed: number };

const { database, redisUrl, predictionId, outcomeId, users, window } = inputFromParent(
  (input): input is BettorInput => hasFields(input, "database", "predictionId", "users"),
);
process.env.REDIS_URL = redisUrl;
const { mongo, redis } = await openStores(database);
const nobody = () => Promise.resolve();
const { predictions } = createActors({
  mongo,
  redis,
  clock: processClock,
  log: quietLog(),
  meter: silentMeter(),
  publishRoom: nobody,
  publishUsers: nobody,
});

async function run({ round, ms }: Round): Promise<void> {
  const until = performance.now() + ms;
  const tally: Tally = { round, accepted: 0, failed: 0 };
  const bettor = async (_: unknown, lane: number) => {
    for (let i = lane; performance.now() < until; i += window)
      await bet(users[i % users.length] ?? "", tally);
  };
  await Promise.all(Array.from({ length: window }, bettor));
  sendToParent(tally);
}

/** Retried with its key until it is answered. */
async function bet(userId: string, tally: Tally): Promise<void> {
  const input = { predictionId, outcomeId, amount: 1, userId, key: newId() };
  for (;;) {
    try {
      await predictions.bet(input);
      tally.accepted += 1;
      return;
    } catch (err) {
      tally.failed += 1;
      if (!hasFields(err, "code") || err.code !== "unavailable") throw err;
    }
  }
}

process.on("message", (round: Round) => void run(round));
sendToParent({ ready: true });
