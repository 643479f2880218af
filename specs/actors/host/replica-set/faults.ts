import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { MongoClient } from "mongodb";
import { newId } from "../../../../base/ids.ts";
import type { LedgerDoc } from "../../../../store/mongo/points/ledger.ts";
import { eventually } from "../../../support/eventually.ts";
import { givenChannels, type Person } from "../../../support/given-channels.ts";
import { openReplicaSet, type ReplicaSet } from "../../../support/replica-set.ts";
import { openStores } from "../../../support/stores.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { expectSoundLedger } from "../invariants.ts";
import { keepBetting, longestGap, nothingSeen, type Seen } from "./writers.ts";

/** What happens to the primary. */
export type Fault = {
  name: string;
  /** Returns what ends it. */
  begin(set: ReplicaSet): Promise<() => void>;
  /** Whether the members have to notice it by what they don't hear; that time counts as MongoDB's own. */
  isSilent?: true;
};

export const STEPS_DOWN: Fault = { name: "step-down", begin: stepDown };
export const KILLED: Fault = { name: "kill", begin: (set) => set.killPrimary() };
export const CUT_OFF: Fault = { name: "cut", begin: (set) => set.freezePrimary(), isSilent: true };

export type FaultsOptions = {
  /** Unused here, since nothing is random; for the caller's report. */
  seed: number;
  faults: number;
  writers: number;
  /** Duration of load before the first fault, between them, and after the last. */
  calmMs: number;
  /**
   * The longest time without an acknowledged bet that is allowed, ms. A primary that is cut off takes MongoDB itself longer, by what
   * its members need to notice, so there it is what the service may add to MongoDB's own time.
   */
  gapWithinMs: number;
  /** Maximum number of 503 answers to clients. */
  refusals: number;
};

type Print = (line: string) => void;

/** As the service's own workers are set up (deploy/processes/workers/open-core.ts). */
const SELECTION_MS = 3_000;
const POINTS = 300_000;

/** The primary steps down repeatedly under load: each bet counts once and no client sees an error. */
export const runStepDowns = (options: FaultsOptions, print: Print) => runFaults(STEPS_DOWN, options, print);

/** The primary is killed under load: each bet that was retried with its key counts once. */
export const runPrimaryKilled = (options: FaultsOptions, print: Print) => runFaults(KILLED, options, print);

/** The primary is cut off with its sockets open, under load. */
export const runPrimaryCutOff = (options: FaultsOptions, print: Print) => runFaults(CUT_OFF, options, print);

async function runFaults(fault: Fault, options: FaultsOptions, print: Print) {
  const set = await openReplicaSet();
  try {
    return await withService(set, (world) => underLoad({ world, set, fault, options, print }));
  } finally {
    await set.close();
  }
}

/** Runs the service in this process with the workers' settings, on that set. */
export async function withService<T>(set: ReplicaSet, use: (world: World) => Promise<T>): Promise<T> {
  const database = `livecore_faults_${process.pid}_${newId().slice(-6)}`;
  const own = { mongodbUrl: set.url, selectionTimeoutMs: SELECTION_MS };
  const world = await openWorld({ stores: () => openStores(database, own) });
  try {
    return await use(world);
  } finally {
    await world.close();
  }
}

type Run = { world: World; set: ReplicaSet; fault: Fault; options: FaultsOptions; print: Print };

export async function underLoad({ world, set, fault, options, print }: Run) {
  const { prediction, people } = await openPrediction(world, options.writers);
  const seen = nothingSeen();
  let isOver = false;
  const outcomeId = prediction.outcomes[0]?.id ?? "";
  const writing = Promise.all(
    people.map((person, i) => {
      // Every other client retries before the answer when that takes long.
      const isImpatient = i % 2 === 1;
      return keepBetting({ person, predictionId: prediction.id, outcomeId, isImpatient, seen }, () => isOver);
    }),
  );
  // Handled when it is awaited; until then it mustn't be an unhandled rejection.
  writing.catch(() => undefined);
  const gaps: number[] = [];
  const ownMs = [0];
  try {
    await eventually(() => seen.at.length > people.length, { what: "the first bets", withinMs: 20_000 });
    for (let n = 0; n < options.faults; n++) {
      await pause(options.calmMs);
      const from = performance.now();
      const mend = await fault.begin(set);
      if (fault.isSilent) ownMs.push(await firstWriteMs(set, from));
      await eventually(() => seen.at.some((at) => at > performance.now() - 200 && at > from + 200), {
        what: "bets are taken again",
        withinMs: 30_000,
      });
      await pause(options.calmMs);
      gaps.push(longestGap(seen, from));
      print(
        `${fault.name} ${n + 1}: ${Math.round(gaps.at(-1) ?? 0)} ms without a bet, ${refusalsOf(seen)}; a plain client waited ${ownMs.at(-1)} ms`,
      );
      mend();
      await set.whole();
    }
  } finally {
    isOver = true;
  }
  await writing;
  await world.core.host.idle();
  await audit(world, seen);
  return figuresOf(seen, gaps, { ...options, gapWithinMs: options.gapWithinMs + Math.max(...ownMs) });
}

/** When a majority of the other members confirms a write of a client that tries all the time; ms since `from`. */
async function firstWriteMs({ url }: ReplicaSet, from: number): Promise<number> {
  const client = new MongoClient(url, {
    connectTimeoutMS: 500,
    heartbeatFrequencyMS: 500,
    socketTimeoutMS: 1_000,
    serverSelectionTimeoutMS: 30_000,
    writeConcern: { w: "majority" },
  });
  const writes = client.db("probe").collection("writes");
  const isWritten = () => writes.insertOne({}).then(() => true);
  await eventually(isWritten, { withinMs: 30_000, what: "MongoDB confirms a write" });
  const ms = Math.round(performance.now() - from);
  await client.close();
  return ms;
}

async function stepDown(set: ReplicaSet): Promise<() => void> {
  await set.stepDown();
  return () => undefined;
}

async function openPrediction(world: World, writers: number) {
  const given = givenChannels(world);
  const { owner, at } = await given.channel();
  const prediction = await owner.api.ok("createPrediction", {
    params: at,
    body: { title: "?", outcomes: [{ title: "yes" }, { title: "no" }], duration_seconds: 1_800 },
  });
  const people: Person[] = [];
  for (let i = 0; i < writers; i++) {
    const person = await given.user();
    const account = { userId: person.id, channelUserId: owner.id };
    const gift = { ...account, key: `gift:${person.id}`, delta: POINTS, ref: null };
    await world.core.points.earn({ ...gift, reason: "presence" });
    people.push(person);
  }
  return { prediction, people };
}

/** Checks that every acknowledged stake was taken once, and no other. */
async function audit({ core: { mongo } }: World, seen: Seen): Promise<void> {
  const ledger = mongo.db.collection<LedgerDoc>("ledger");
  for (const [userId, acknowledged] of seen.stakes) {
    const taken = await ledger.find({ userId, reason: "bet" }).sort({ seq: 1 }).toArray();
    expect(
      taken.map((entry) => -entry.delta),
      `stakes of ${userId}`,
    ).deep.equal(acknowledged);
  }
  await expectSoundLedger(mongo.db);
}

function figuresOf(seen: Seen, gaps: number[], options: FaultsOptions) {
  const unavailable = seen.refusals.get(503) ?? 0;
  const others = [...seen.refusals.values()].reduce((a, b) => a + b, 0) - unavailable;
  const figures = {
    bets: seen.at.length,
    faults: gaps.length,
    longestGapMs: Math.round(Math.max(...gaps)),
    unavailable,
    otherErrors: others,
    abandoned: seen.abandoned,
    slowestMs: Math.round(seen.slowestMs),
  };
  expect(others, `answers other than 503 (${refusalsOf(seen)})`).equal(0);
  expect(unavailable, "answers 503").most(options.refusals);
  expect(figures.longestGapMs, "ms without an acknowledged bet").most(options.gapWithinMs);
  return figures;
}

const refusalsOf = ({ refusals }: Seen) =>
  refusals.size === 0
    ? "no errors"
    : [...refusals].map(([status, count]) => `${count} × ${status}`).join(", ");
