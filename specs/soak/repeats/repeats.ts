import assert from "node:assert/strict";
import { newId } from "../../../base/ids.ts";
import type { BalanceDoc } from "../../../store/mongo/points/balances.ts";
import type { BetDoc } from "../../../store/mongo/points/bets.ts";
import type { LedgerDoc } from "../../../store/mongo/points/ledger.ts";
import { seededRandom } from "../../stress/seed.ts";
import { type Channel, givenChannels, type Person } from "../../support/given-channels.ts";
import { openWorld, type World } from "../../support/world.ts";
import { openCutProxy } from "./cut-proxy.ts";

type RepeatsOptions = {
  seed: number;
  bets: number;
  bettors: number;
  /** Percentage of bets whose first response is lost. */
  cutPercent: number;
};

const LANES = 64;
const BALANCE = 200_000;
const LARGEST = 50;

type Bet = { key: string; bettor: Person; outcomeId: string; amount: number };
type Proxy = Awaited<ReturnType<typeof openCutProxy>>;

/**
 * Bets through the public API; some responses are lost and the same request is retried with its key. Each bet is in the ledger
 * exactly once, the retry gets the lost response, and another request under the key is refused. Throws otherwise.
 */
export async function runRepeats(options: RepeatsOptions, print: (line: string) => void) {
  const world = await openWorld();
  const proxy = await openCutProxy(Number(new URL(world.baseUrl).port));
  try {
    return await repeat(options, world, proxy, print);
  } finally {
    await proxy.close();
    await world.close();
  }
}

async function repeat(options: RepeatsOptions, world: World, proxy: Proxy, print: (line: string) => void) {
  const random = seededRandom(options.seed);
  const pick = <T>(all: T[]): T => {
    const one = all[Math.floor(random() * all.length)];
    if (one === undefined) throw new Error("there is nothing to pick from");
    return one;
  };
  const given = givenChannels(world);
  const channel = await given.channel();
  const opened = await channel.owner.api.ok("createPrediction", {
    params: channel.at,
    body: { title: "?", outcomes: [{ title: "yes" }, { title: "no" }], duration_seconds: 1_800 },
  });
  const bettors: Person[] = [];
  for (let i = 0; i < options.bettors; i++) bettors.push(await bettorIn(world, channel));
  const sides = new Map(bettors.map(({ id }) => [id, pick(opened.outcomes).id]));
  print(`${bettors.length} bettors are there`);

  const bets = Array.from({ length: options.bets }, (_, i): Bet & { isCut: boolean } => {
    const bettor = pick(bettors);
    const amount = 1 + Math.floor(random() * LARGEST);
    const isCut = random() * 100 < options.cutPercent;
    return { key: `bet-${i}`, bettor, outcomeId: sides.get(bettor.id) ?? "", amount, isCut };
  });
  const startedAt = performance.now();
  const waiting = [...bets];
  const lane = async () => {
    for (let bet = waiting.pop(); bet; bet = waiting.pop()) {
      await (bet.isCut ? placeTwice(proxy, opened.id, bet) : place(opened.id, bet));
      if (waiting.length > 0 && waiting.length % 500 === 0) print(`${waiting.length} bets to go`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await audit(world, channel.owner.id, opened.id, bets);
  const cut = bets.filter(({ isCut }) => isCut).length;
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  return { bets: bets.length, answersLost: cut, conflictsRefused: cut, seconds };
}

async function bettorIn(world: World, { owner }: Channel): Promise<Person> {
  const bettor = await givenChannels(world).user();
  await world.core.points.earn({
    key: `gift:${newId()}`,
    userId: bettor.id,
    channelUserId: owner.id,
    delta: BALANCE,
    reason: "presence",
    ref: null,
  });
  return bettor;
}

const request = (predictionId: string, { key, outcomeId, amount }: Bet) => ({
  params: { prediction_id: predictionId },
  body: { outcome_id: outcomeId, amount },
  headers: { "idempotency-key": key },
});

const place = (predictionId: string, bet: Bet) => bet.bettor.api.ok("placeBet", request(predictionId, bet));

async function placeTwice(proxy: Proxy, predictionId: string, bet: Bet): Promise<void> {
  const { body, headers } = request(predictionId, bet);
  const lost = await proxy.lose(`/v1/predictions/${predictionId}/bets`, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      authorization: `Bearer ${bet.bettor.token}`,
    },
    body: JSON.stringify(body),
  });
  assert.deepEqual(await place(predictionId, bet), lost, `${bet.key}: the repeat has another answer`);
  const other = await bet.bettor.api.call(
    "placeBet",
    request(predictionId, { ...bet, amount: bet.amount + 1 }),
  );
  assert.equal(other.status, 409, bet.key);
  assert.equal(other.code, "idempotency_conflict", bet.key);
}

/** Checks that every bet exists once: in the ledger, on the bets, in the pools and in the balances. */
async function audit(world: World, channelUserId: string, predictionId: string, bets: Bet[]): Promise<void> {
  const { db } = world.core.mongo;
  const entries = await db
    .collection<LedgerDoc>("ledger")
    .find({ reason: "bet", ref: predictionId })
    .toArray();
  assert.deepEqual(
    entries.map(({ userId, delta }) => `${userId} ${-delta}`).sort(),
    bets.map(({ bettor, amount }) => `${bettor.id} ${amount}`).sort(),
    "the ledger doesn't have each bet once",
  );
  const stored = await db.collection<BetDoc>("bets").find({ predictionId }).toArray();
  assert.deepEqual(sumsOf(stored.map((bet) => [bet.userId, bet.amount])), stakesOf(bets), "the bets differ");
  const accounts = await db
    .collection<BalanceDoc>("balances")
    .find({ channelUserId, balance: { $lt: BALANCE } })
    .toArray();
  assert.deepEqual(
    sumsOf(accounts.map((account) => [account.userId, BALANCE - account.balance])),
    stakesOf(bets),
    "the balances differ",
  );
  const { outcomes } = await world.api.ok("getPrediction", { params: { prediction_id: predictionId } });
  assert.deepEqual(
    new Map(outcomes.filter((one) => one.points_pool > 0).map((one) => [one.id, one.points_pool])),
    sumsOf(bets.map((bet) => [bet.outcomeId, bet.amount])),
    "the pools differ",
  );
}

const stakesOf = (bets: Bet[]) => sumsOf(bets.map((bet) => [bet.bettor.id, bet.amount]));

function sumsOf(amounts: [name: string, amount: number][]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0) + amount);
  return sums;
}
