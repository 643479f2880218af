import { newId } from "../../../../base/ids.ts";
import type { Child } from "../../../stress/child.ts";
import { isReady } from "../../../stress/child.ts";
import { withChildren, within } from "../../../stress/children.ts";
import { hasFields } from "../../../stress/parent.ts";
import { bundle } from "../../../support/bundle.ts";
import { openValkey } from "../../../support/own-valkey.ts";
import { expectSoundLedger } from "../invariants.ts";
import { openWorld } from "../world.ts";
import type { BettorInput, Round, Tally } from "./bettor-worker.ts";

/** The slowest process gets at least this share of the average. */
const FAIR = 0.5;

type FairnessOptions = {
  seed: number;
  processes: number;
  /** Duration of a round, ms. */
  roundMs: number;
  /** Concurrent bets per process. */
  window: number;
};

/**
 * Processes bet on one prediction as fast as they can: with turns, each gets its share; after the loss of Redis, every bet still
 * counts once. Nothing is random here: the seed is only for the caller's report.
 */
export async function runFairness(options: FairnessOptions, print: (line: string) => void) {
  const { processes, roundMs, window } = options;
  const worker = await bundle("specs/actors/host/contention/bettor-worker.ts");
  const valkey = await openValkey();
  const world = await openWorld();
  world.move(Date.now() - world.clock.now());
  try {
    const stream = await world.stream();
    const { _id: predictionId, outcomes } = await world.predictions.open({
      stream,
      title: "?",
      outcomes: [{ title: "yes" }, { title: "no" }],
      durationSeconds: 1_800,
      by: newId(),
    });
    const place = { predictionId, outcomeId: outcomes[0]?.id ?? "", window, redisUrl: valkey.url };
    return await withChildren(async (start) => {
      const bettors = await Promise.all(
        Array.from({ length: processes }, async () => {
          const users = await world.viewers(stream, window, 200_000);
          const input: BettorInput = { ...place, database: world.mongo.db.databaseName, users };
          const child = start(worker, input);
          await child.next(isReady);
          return child;
        }),
      );
      const round = (n: number) => bettingRound(bettors, { round: n, ms: roundMs });

      await round(1); // warm-up: compiles code and opens connections
      const withTurns = await round(2);
      print(`with turns: ${withTurns.each.join(", ")} bets`);
      await valkey.kill();
      const without = await round(3);
      print(`without Redis: ${without.each.join(", ")} bets`);

      const stakes = await world.mongo.db.collection("ledger").countDocuments({ reason: "bet" });
      const accepted = bettors
        .flatMap(({ received: messages }) => messages.filter(isTally))
        .map((tally) => tally.accepted);
      if (stakes !== sum(accepted)) throw new Error(`${sum(accepted)} bets accepted, ${stakes} stakes taken`);
      await expectSoundLedger(world.mongo.db);
      if (withTurns.share < FAIR) throw new Error(`the slowest process got ${withTurns.share} of the mean`);
      return {
        slowestShare: withTurns.share,
        perSecond: withTurns.perSecond,
        slowestShareWithoutRedis: without.share,
        perSecondWithoutRedis: without.perSecond,
        stakes,
        repeated: withTurns.failed + without.failed,
      };
    });
  } finally {
    await world.close();
    await valkey.close();
  }
}

async function bettingRound(bettors: Child[], round: Round) {
  for (const bettor of bettors) bettor.send(round);
  const isThis = (message: unknown): message is Tally => isTally(message) && message.round === round.round;
  const tallies = await within(
    round.ms + 20_000,
    "everybody finishes a round of betting",
    Promise.all(bettors.map((bettor) => bettor.next(isThis))),
  );
  const each = tallies.map((tally) => tally.accepted);
  const mean = sum(each) / each.length;
  return {
    each,
    share: Math.round((Math.min(...each) / mean) * 100) / 100,
    perSecond: Math.round((sum(each) / round.ms) * 1_000),
    failed: sum(tallies.map((tally) => tally.failed)),
  };
}

const isTally = (message: unknown): message is Tally => hasFields(message, "round", "accepted");

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
