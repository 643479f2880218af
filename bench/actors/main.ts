/** Measures the actors beside baselines in the same run. Arguments: bets, redemptions, payout, transition, hooks (all without one), --save, --winners N. */
import { parseArgs } from "node:util";
import { newId } from "../../base/ids.ts";
import { outboxCollection } from "../../store/mongo/host/outbox.ts";
import { redemptionsCollection } from "../../store/mongo/points/redemptions.ts";
import { inMs, inThousands, median, percentile, perSecond } from "../figures.ts";
import { type Row, save, show } from "../results.ts";
import { accounts, betAlone, redeemAlone, redeemTogether } from "./baselines.ts";
import { bets, redemptions } from "./bets.ts";
import { hooks } from "./hooks.ts";
import { payout } from "./payout.ts";
import { openStage, type Stage } from "./stage.ts";
import { transition } from "./transition.ts";

const say = (line: string) => console.log(`  ${line}`);

const { values, positionals: requestedParts } = parseArgs({
  allowPositionals: true,
  options: { save: { type: "boolean", default: false }, winners: { type: "string", default: "100000" } },
});
const winnerCount = Number(values.winners);
if (!Number.isSafeInteger(winnerCount) || winnerCount < 1) throw new Error("--winners is a number of people");

const PARTS = {
  async bets(stage: Stage): Promise<Row[]> {
    const alone = async (withPool: boolean) => {
      const name = `alone_${withPool}`;
      const users = Array.from({ length: 2_000 }, newId);
      const { client, db } = stage.mongo;
      await accounts({ client, db }, name, users, 100_000);
      const [ms, inFlight] = [6_000, 32];
      let done = 0;
      const from = performance.now();
      const loop = async () => {
        while (performance.now() - from < ms) {
          await betAlone({ client, db }, name, users[done % users.length] ?? "", withPool);
          done++;
        }
      };
      await Promise.all(Array.from({ length: inFlight }, loop));
      return perSecond(done, performance.now() - from);
    };
    const rows: Row[] = [];
    say("one transaction a bet, with the pool's total in one document …");
    rows.push({
      what: "bare: a transaction a bet, total in one document",
      figure: `${inThousands(await alone(true))} bets/s`,
    });
    say("one transaction a bet, without a total …");
    const bare = await alone(false);
    rows.push({
      what: "bare: a transaction a bet, no total",
      figure: `${inThousands(bare)} bets/s`,
      ratio: "1 ×",
    });
    rows.push(...(await spending(stage, bets, { of: "prediction", what: "bets", bare })));
    return rows;
  },

  async redemptions(stage: Stage): Promise<Row[]> {
    say("one transaction a redemption, and one for 500 …");
    const { alone: bare, together } = await redeemedBare(stage);
    const first = {
      what: "bare: a transaction a redemption, no limits",
      figure: `${inThousands(bare)} redemptions/s`,
      ratio: "1 ×",
    };
    const second = {
      what: "bare: the transactions of 500 redemptions, one after the other, nothing read",
      figure: `${inThousands(together)} redemptions/s`,
      ratio: `${(together / bare).toFixed(1)} ×`,
    };
    return [
      first,
      second,
      ...(await spending(stage, redemptions, { of: "reward", what: "redemptions", bare })),
    ];
  },

  async payout(stage: Stage): Promise<Row[]> {
    const { winners, ms, bareMs, others } = await payout(stage, winnerCount, say);
    const p99 = (took: number[]) => percentile(took, 0.99);
    const quiet = p99(others.quiet);
    const beside = (took: number[]) => ({
      figure: inMs(p99(took)),
      ratio: `${(p99(took) / quiet).toFixed(2)} ×`,
    });
    return [
      { what: `bare: bulk writes for ${inThousands(winners)} winners`, figure: inMs(bareMs), ratio: "1 ×" },
      {
        what: `payout of ${inThousands(winners)} winners`,
        figure: inMs(ms),
        ratio: `${(ms / bareMs).toFixed(2)} ×`,
      },
      { what: "another actor's step, p99, quiet", figure: inMs(quiet), ratio: "1 ×" },
      { what: "the same while the bare bulk writes run", ...beside(others.besideBare) },
      { what: "the same while the payout runs", ...beside(others.busy) },
    ];
  },

  async transition(stage: Stage): Promise<Row[]> {
    const { ours, bare } = await transition(stage, 600);
    return [
      { what: "bare: the transaction of one step", figure: `median ${inMs(median(bare))}`, ratio: "1 ×" },
      {
        what: "one step of an actor, committed",
        figure: `median ${inMs(median(ours))}, p99 ${inMs(percentile(ours, 0.99))}`,
        ratio: `${(median(ours) / median(bare)).toFixed(2)} ×`,
      },
    ];
  },

  async hooks(stage: Stage): Promise<Row[]> {
    const { busy, single } = await hooks(stage, 500);
    return [
      {
        what: "bare: the transaction of a hook, 32 under way",
        figure: `${inThousands(busy.bare)} hooks/s`,
        ratio: "1 ×",
      },
      {
        what: "hooks of different subscriptions, 32 under way",
        figure: `${inThousands(busy.ours)} hooks/s`,
        ratio: `${(busy.bare / busy.ours).toFixed(2)} × the time`,
      },
      { what: "bare: the same, one at a time", figure: `median ${inMs(median(single.bare))}`, ratio: "1 ×" },
      {
        what: "one hook at a time",
        figure: `median ${inMs(median(single.ours))}, p99 ${inMs(percentile(single.ours, 0.99))}`,
        ratio: `${(median(single.ours) / median(single.bare)).toFixed(2)} ×`,
      },
    ];
  },
};

/** The same load from one worker, from four, and with keys. */
async function spending(
  stage: Stage,
  run: typeof bets,
  { of, what, bare }: { of: string; what: string; bare: number },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { processes, inFlight, keyed } of [
    { processes: 1, inFlight: 500, keyed: false },
    { processes: 4, inFlight: 800, keyed: false },
    { processes: 1, inFlight: 500, keyed: true },
  ]) {
    const withKeys = keyed ? ", each with an Idempotency-Key" : "";
    say(`${processes} api worker(s), ${inFlight} ${what} under way${withKeys} …`);
    const { accepted, ms, latencies, shares, failed } = await run(stage, {
      processes,
      inFlight,
      keyed,
      users: 20_000,
      ms: 10_000,
    });
    if (failed > 0) throw new Error(`${failed} ${what} failed`);
    const rate = perSecond(accepted, ms);
    const spread =
      processes > 1
        ? `, slowest worker ${Math.round(Math.min(...shares) * processes * 100)} % of its share`
        : "";
    rows.push({
      what: `one ${of}, ${processes} worker${processes > 1 ? "s" : ""}${keyed ? ", with keys" : ""}`,
      figure: `${inThousands(rate)} ${what}/s, p50 ${inMs(median(latencies))}, p99 ${inMs(percentile(latencies, 0.99))}${spread}`,
      ratio: `${(rate / bare).toFixed(1)} ×`,
    });
  }
  return rows;
}

/** By the bare driver, a second. */
async function redeemedBare({ mongo: { client, db }, stream, reward }: Stage) {
  const users = Array.from({ length: 2_000 }, newId);
  await accounts({ client, db }, "redeemed", users, 100_000);
  await db.collection("redeemed_redemptions").createIndexes([...redemptionsCollection.indexes]);
  await db.collection("redeemed_outbox").createIndexes([...outboxCollection.indexes]);
  const { _id, channelUserId, streamId, titleKey: _title, ...offer } = await reward(await stream());
  const doc = {
    rewardId: _id,
    channelUserId,
    streamId,
    reward: { _id, ...offer },
    userInput: null,
    status: "pending" as const,
    createdAt: new Date(),
    endedAt: null,
    endedBy: null,
  };
  const rate = async (inFlight: number, each: number, redeem: (users: string[]) => Promise<void>) => {
    const ms = 6_000;
    let done = 0;
    const from = performance.now();
    const loop = async () => {
      while (performance.now() - from < ms) {
        const at = done % users.length;
        done += each;
        await redeem(users.slice(at, at + each));
      }
    };
    await Promise.all(Array.from({ length: inFlight }, loop));
    return perSecond(done, performance.now() - from);
  };
  const alone = await rate(32, 1, ([user = ""]) => redeemAlone({ client, db }, "redeemed", user, doc));
  const together = await rate(1, 500, (some) => redeemTogether({ client, db }, "redeemed", some, doc));
  return { alone, together };
}

const names = Object.keys(PARTS);
const unknown = requestedParts.filter((word) => !names.includes(word));
if (unknown.length > 0) throw new Error(`there are ${names.join(", ")}, not ${unknown.join(", ")}`);

const results: { part: string; rows: Row[] }[] = [];
for (const [part, measure] of Object.entries(PARTS)) {
  if (requestedParts.length > 0 && !requestedParts.includes(part)) continue;
  console.log(part);
  const stage = await openStage(`livecore_bench_${process.pid}_${part}`);
  try {
    const rows = await measure(stage);
    results.push({ part, rows });
    show({ rows });
  } finally {
    await stage.close({ drop: true });
  }
}
if (values.save) save("actors", results);
process.exit(0);
