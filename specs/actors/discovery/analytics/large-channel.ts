import { setTimeout as pause } from "node:timers/promises";
import { post } from "../../../../actors/points/ledger/post.ts";
import { DAY_MS, HOUR_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { dayOf } from "../../../../store/mongo/channels/rollup-times.ts";
import { NOTHING_RECOUNTED, recountNext } from "../../../../store/mongo/discovery/rollup-check.ts";
import { inTransaction } from "../../../../store/mongo/driver/transaction.ts";
import { type LedgerDoc, ledgerCollection } from "../../../../store/mongo/points/ledger.ts";
import { redemptionsCollection } from "../../../../store/mongo/points/redemptions.ts";
import { percentile } from "../../../stress/percentile.ts";
import type { Figures, Print } from "../../../stress/scenario.ts";
import { chanceFrom } from "../../../stress/seed.ts";
import { standingClock } from "../../../support/clock.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import type { Stores } from "../../../support/stores.ts";
import { redemption } from "./given-activity.ts";
import { openAnalytics } from "./open-analytics.ts";

type Options = { seed: number; rows: number; requests: number; p99Ms: number };

const DAYS = 90;
/** A channel isn't live all day: most points move during these hours. */
const LIVE_HOURS = 4;
const LIVE_PERCENT = 95;
const AT_ONCE = 10_000;
/** One in this many entries is a redemption. */
const A_REDEMPTION = 50;
const TITLES = Array.from({ length: 50 }, (_, n) => `Reward ${n}`);

type Sums = { earned: number; spent: number; redeemed: number };

/**
 * A live channel with that many ledger entries in ninety days: its figures equal what was written, and reads stay fast while
 * writes continue.
 */
export async function runLargeChannel(options: Options, print: Print): Promise<Figures> {
  const { rows, requests, p99Ms } = options;
  const stores = await openOwnStores();
  try {
    const clock = standingClock();
    // In the middle of an hour in which the channel is live.
    clock.move(3 * DAY_MS - (clock.now() % DAY_MS) + 20.5 * HOUR_MS);
    const { analytics } = openAnalytics(stores, clock);
    const channel = newId();
    const sums = await fill(stores, channel, clock.now(), options, print);
    const counted = await timed(() => recount(stores, clock.now()));
    print(`${rows} entries were counted into ${counted.value} hours in ${Math.round(counted.ms)} ms`);

    const writing = new AbortController();
    const writer = write(stores, channel, clock.now, sums, writing.signal);
    const times: number[] = [];
    try {
      await analytics.ofCreator(channel, "90d");
      for (let n = 0; n < requests; n++)
        times.push((await timed(() => analytics.ofCreator(channel, "90d"))).ms);
    } finally {
      writing.abort();
      await writer;
    }
    const { points } = await analytics.ofCreator(channel, "90d");
    const seen = [points.earned, points.spent];
    if (seen[0] !== sums.earned || seen[1] !== sums.spent)
      throw new Error(`${seen.join(" and ")} instead of ${sums.earned} and ${sums.spent}`);
    const keys = await keysRead(stores, () => analytics.ofCreator(channel, "90d"));
    const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
    print(`read in ${p50} ms, ${p99} ms at the 99th percentile, by ${keys} keys`);
    // Independent of the machine's speed: the partial hours at both ends, and the rollups.
    const mostKeys = rows / 100 + 2_000;
    if (keys > mostKeys)
      throw new Error(`a read looks at ${keys} keys and documents, and not at ${mostKeys}`);
    if (p99 > p99Ms) throw new Error(`read in ${p99} ms at the 99th percentile, and not in ${p99Ms}`);
    const hours = counted.value;
    const countMs = Math.round(counted.ms);
    return { rows, redeemed: sums.redeemed, hours, countMs, requests, keys, p50, p99 };
  } finally {
    await stores.close();
  }
}

async function fill(
  { mongo: { db } }: Stores,
  channelUserId: string,
  now: number,
  { seed, rows }: Options,
  print: Print,
): Promise<Sums> {
  const chance = chanceFrom(seed);
  const today = dayOf(new Date(now)).getTime();
  const sums: Sums = { earned: 0, spent: 0, redeemed: 0 };
  function timeOf(): number {
    for (;;) {
      const day = today - chance.below(DAYS + 1) * DAY_MS;
      const isLive = chance.percent(LIVE_PERCENT);
      const at = day + (isLive ? 18 * HOUR_MS + chance.below(LIVE_HOURS * HOUR_MS) : chance.below(DAY_MS));
      if (at >= now - DAYS * DAY_MS && at <= now) return at;
    }
  }
  const unjournaled = { ordered: false, writeConcern: { w: 1, journal: false } } as const;
  for (let done = 0; done < rows; done += AT_ONCE) {
    const entries = Array.from({ length: Math.min(AT_ONCE, rows - done) }, (_, n): LedgerDoc => {
      const isRedemption = (done + n) % A_REDEMPTION === 0;
      const delta = isRedemption ? -(1 + chance.below(100)) : 1 + chance.below(20);
      if (delta > 0) sums.earned += delta;
      else sums.spent -= delta;
      return {
        _id: `e:${channelUserId}:${done + n}`,
        userId: `u${chance.below(50_000)}`,
        channelUserId,
        seq: done + n,
        delta,
        reason: isRedemption ? "redemption" : "presence",
        ref: null,
        balanceAfter: 0,
        createdAt: new Date(timeOf()),
      };
    });
    await ledgerCollection.in(db).insertMany(entries, unjournaled);
    const bought = entries
      .filter(({ delta }) => delta < 0)
      .map(({ createdAt }) =>
        redemption(channelUserId, createdAt, { title: chance.one(TITLES), status: "fulfilled" }),
      );
    sums.redeemed += bought.length;
    if (bought.length > 0) await redemptionsCollection.in(db).insertMany(bought, unjournaled);
    if (done % 1_000_000 === 0) print(`${done} of ${rows} entries are written`);
  }
  // Readers use majority read concern: without this write, the last unacknowledged writes would become visible only after
  // the count.
  await ledgerCollection.in(db).deleteOne({ _id: "none" });
  return sums;
}

/** Recounts as the command does. */
async function recount(stores: Stores, now: number): Promise<number> {
  const maintenance = await stores.maintenanceMongo();
  try {
    const until = new Date(now);
    const from = new Date(now - (DAYS + 1) * DAY_MS);
    return (await recountNext(maintenance.db, NOTHING_RECOUNTED, { from, until }))?.hours ?? 0;
  } finally {
    await maintenance.close();
  }
}

/** A user earns points many times a second. */
async function write(
  { mongo: { db, client } }: Stores,
  channelUserId: string,
  now: () => number,
  sums: Sums,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const movement = {
      key: newId(),
      userId: newId(),
      channelUserId,
      delta: 10,
      ref: null,
      at: new Date(now()),
    };
    await inTransaction(client, (session) => post(db, [{ ...movement, reason: "presence" }], session));
    sums.earned += 10;
    await pause(10);
  }
}

/** The keys and documents that the database examines meanwhile. */
async function keysRead({ mongo: { db } }: Stores, act: () => Promise<unknown>): Promise<number> {
  const profiled = db.collection<{ keysExamined?: number; docsExamined?: number }>("system.profile");
  await db.setProfilingLevel("all");
  await act();
  await db.setProfilingLevel("off");
  const reads = await profiled.find({ ns: { $ne: `${db.databaseName}.system.profile` } }).toArray();
  return reads.reduce((sum, { keysExamined = 0, docsExamined = 0 }) => sum + keysExamined + docsExamined, 0);
}

async function timed<T>(act: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const begun = performance.now();
  const value = await act();
  return { value, ms: performance.now() - begun };
}
