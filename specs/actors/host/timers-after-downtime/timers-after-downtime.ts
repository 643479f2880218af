import { setTimeout as until } from "node:timers/promises";
import type { Filter } from "mongodb";
import type { TimerDoc } from "../../../../store/mongo/host/timers.ts";
import type { Child } from "../../../stress/child.ts";
import { withChildren, within } from "../../../stress/children.ts";
import { hasFields } from "../../../stress/parent.ts";
import { percentile } from "../../../stress/percentile.ts";
import { seededRandom } from "../../../stress/seed.ts";
import { bundle } from "../../../support/bundle.ts";
import { eventually } from "../../../support/eventually.ts";
import { SUBJECTS } from "../../generated/subjects.ts";
import { expectSoundLedger } from "../invariants.ts";
import { openWorld, type World } from "../world.ts";
import type { Fired, Ready } from "./jobs-worker.ts";
import { judge, latenessOf } from "./verdict.ts";

const WORKER = "specs/actors/host/timers-after-downtime/jobs-worker.ts";
const START_MS = 20_000;

type Start = (input: { database: string }) => Child;

type TimersAfterDowntimeOptions = {
  seed: number;
  /** Number of waiting actors of all kinds; a tenth becomes due before the kill, a fifth during the downtime. */
  machines: number;
  /** Concurrent sweeping processes, before and after. */
  processes: number;
  aliveMs: number;
  downMs: number;
  /** How long it is observed after the start; a quarter becomes due meanwhile. The rest must not fire. */
  afterMs: number;
  overdueWithinMs: number;
  onTimeWithinMs: number;
};

/**
 * Actors of all kinds wait; the processes that fire timers are killed at work, and new ones start after a downtime: every timer
 * fires once and not early, overdue ones soon after the start, the others at their time.
 */
export async function runTimersAfterDowntime(
  options: TimersAfterDowntimeOptions,
  print: (line: string) => void,
) {
  const world = await openWorld();
  try {
    const base = Date.now() + 3_600_000; // later than anything that happens while they are made
    const begun = performance.now();
    await makeAll(world, options, base);
    print(`${options.machines} actors wait after ${Math.round(performance.now() - begun)} ms`);
    const worker = await bundle(WORKER);
    return await withChildren((start) => run(world, options, base, (input) => start(worker, input), print));
  } finally {
    await world.close();
  }
}

async function run(
  world: World,
  options: TimersAfterDowntimeOptions,
  base: number,
  start: Start,
  print: (line: string) => void,
) {
  const { db } = world.mongo;
  const { processes, aliveMs, downMs, afterMs } = options;
  const first = await startAll(world, processes, start);
  // Timers that are to be on time are due after the second processes have started, however long a start takes on this
  // machine.
  const startMs = 1.5 * first.tookMs;
  const darkUntil = base + aliveMs + downMs;
  await moveTimers(world, startMs, { dueAt: { $gte: new Date(darkUntil) } });
  const from = Date.now() + 300;
  await moveTimers(world, from - base, {});
  const planned = await db.collection<TimerDoc>("timers").find().toArray();

  await until(from + aliveMs - Date.now());
  for (const child of first.children) child.kill("SIGKILL");
  await Promise.all(first.children.map((child) => child.ended));
  const firedBefore = first.children.flatMap(firedBy);
  print(`killed after ${firedBefore.length} had fired`);
  await until(from + aliveMs + downMs - Date.now());

  const second = await startAll(world, processes, start);
  const end = from + aliveMs + downMs + startMs + afterMs;
  await until(Math.max(0, end - Date.now()));
  await allFired(world, end);
  const fired = second.children.flatMap(firedBy);

  await judge(db, planned, end);
  latenessOf(planned, firedBefore, from);
  const { overdue, meanwhile, onTime } = latenessOf(planned, fired, second.readyAt, options.overdueWithinMs);
  await expectSoundLedger(db);
  const figures = {
    machines: planned.length,
    firedBefore: firedBefore.length,
    overdue: overdue.length,
    overdueMaxMs: percentile(overdue, 1),
    overdueP50Ms: percentile(overdue, 0.5),
    meanwhile: meanwhile.length,
    meanwhileMaxMs: percentile(meanwhile, 1),
    onTime: onTime.length,
    onTimeP99Ms: percentile(onTime, 0.99),
    onTimeMaxMs: percentile(onTime, 1),
    stale: [...firedBefore, ...fired].filter(({ result }) => result === "stale").length,
  };
  print(JSON.stringify(figures));
  if (figures.overdueMaxMs > options.overdueWithinMs)
    throw new Error(`the last overdue timer fired ${figures.overdueMaxMs} ms after the start`);
  if (figures.meanwhileMaxMs > options.overdueWithinMs)
    throw new Error(`a timer fired ${figures.meanwhileMaxMs} ms after its time, beside the overdue ones`);
  if (figures.onTimeP99Ms > options.onTimeWithinMs)
    throw new Error(`timers fired ${figures.onTimeP99Ms} ms after their time (p99)`);
  return figures;
}

/** Spreads each kind over all spans of time. */
async function makeAll(world: World, options: TimersAfterDowntimeOptions, base: number): Promise<void> {
  const random = seededRandom(options.seed);
  const kinds = SUBJECTS.flatMap(({ waiting = {} }) => Object.values(waiting));
  kinds.sort((a, b) => Number(b.firesOthers ?? false) - Number(a.firesOthers ?? false));
  for (const [i, kind] of kinds.entries()) {
    const share = Math.floor((options.machines + i) / kinds.length);
    await kind.make(
      world,
      Array.from({ length: share }, () => base + dueAfter(options, random)),
    );
  }
  await world.settled();
}

function dueAfter({ aliveMs, downMs, afterMs }: TimersAfterDowntimeOptions, random: () => number): number {
  const drawn = random();
  if (drawn < 0.1) return random() * aliveMs;
  if (drawn < 0.3) return aliveMs + random() * downMs;
  if (drawn < 0.55) return aliveMs + downMs + random() * afterMs;
  return aliveMs + downMs + afterMs + 60_000 + random() * 3_600_000;
}

/** Shifts these timers in time. */
async function moveTimers({ mongo }: World, byMs: number, which: Filter<TimerDoc>): Promise<void> {
  const later = { $set: { dueAt: { $add: ["$dueAt", Math.round(byMs)] } } };
  await mongo.db.collection<TimerDoc>("timers").updateMany(which, [later]);
}

async function startAll(world: World, processes: number, start: Start) {
  const begun = performance.now();
  const input = { database: world.mongo.db.databaseName };
  const children = Array.from({ length: processes }, () => start(input));
  const ready = await within(
    START_MS,
    "all start",
    Promise.all(children.map((child) => child.next(isReady))),
  );
  const readyAt = Math.max(...ready.map((one) => one.readyAt));
  return { children, readyAt, tookMs: performance.now() - begun };
}

const allFired = ({ mongo }: World, end: number) =>
  eventually(
    async () =>
      (await mongo.db.collection("timers").countDocuments({ dueAt: { $lte: new Date(end) } })) === 0,
    { withinMs: 90_000, what: "all that is due has fired" },
  );

const isReady = (message: unknown): message is Ready => hasFields(message, "readyAt");
const isFired = (message: unknown): message is Fired => hasFields(message, "timer", "result", "at");
const firedBy = ({ received: messages }: Child): Fired[] => messages.filter(isFired);
