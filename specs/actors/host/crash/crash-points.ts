import { bundle } from "../../../support/bundle.ts";
import { type Lane, openLane } from "./lane.ts";
import type { Point } from "./points.ts";
import type { Scenario } from "./scenario.ts";
import { LONG_SCENARIOS, SCENARIOS } from "./scenarios.ts";

/** Every n-th, or at most this many, which bounds the cost. The seed decides which. */
type Part = number | { most: number };

type CrashOptions = {
  seed: number;
  points: Part;
  scenarios: Part;
  /** Include payouts that take several commits. */
  long: boolean;
  /** Number of processes that die concurrently. */
  lanes?: number;
};

const REPORT_EVERY = 100;
/** Points that a second run may not reach: of many, a tenth; of few, a third, and no more than so many. */
const MISSED_AT_MOST = 3;
/** Of a place that repeats often, such as notifying users one by one: the first occurrences and a few later ones. */
const FIRST_OF_A_PLACE = 20;
const LATER_OF_A_PLACE = 500;

type Case = { scenario: Scenario; point: Point };

/**
 * Kills a process at every point of every scenario, a new process for each: records the points in a run without kills, then
 * goes through them.
 */
export async function runCrashPoints(
  { seed, points, scenarios: part, long, lanes: width = 3 }: CrashOptions,
  print: (line: string) => void,
): Promise<Record<string, number>> {
  const scenarios = partOf(long ? [...SCENARIOS, ...LONG_SCENARIOS] : SCENARIOS, part, seed);
  const began = performance.now();
  const module = await bundle("specs/actors/host/crash/child.ts");
  const lanes: Lane[] = [];
  const figures = { scenarios: scenarios.length, points: 0, died: 0, missed: 0 };
  try {
    for (let i = 0; i < width; i++) lanes.push(await openLane(module));
    const cases: Case[] = [];
    await inTurn(lanes, [...scenarios], async (lane, scenario) => {
      const { passed } = await lane.run(scenario, null);
      print(`${scenario.name}: ${passed.length} points`);
      const places = passed.filter(({ nth }) => nth <= FIRST_OF_A_PLACE || nth % LATER_OF_A_PLACE === 0);
      figures.points += places.length;
      cases.push(...places.map((point) => ({ scenario, point })));
    });
    const chosen = partOf(cases, points, seed);
    await inTurn(lanes, chosen, async (lane, one) => {
      const { died } = await dieIn(lane, one);
      figures[died ? "died" : "missed"] += 1;
      if (figures.died % REPORT_EVERY === 0) print(`${figures.died} of ${chosen.length} died`);
    });
    // Concurrent commands may occur in another number; that has to stay rare.
    const mayMiss = Math.max(Math.min(MISSED_AT_MOST, Math.floor(chosen.length / 3)), chosen.length / 10);
    if (figures.missed > mayMiss) throw new Error(`${figures.missed} points were never reached`);
  } finally {
    for (const lane of lanes) await lane.close();
  }
  return { ...figures, seconds: Math.round((performance.now() - began) / 1_000) };
}

function partOf<T>(all: readonly T[], part: Part, seed: number): T[] {
  const stride = typeof part === "number" ? part : Math.ceil(all.length / part.most);
  return all.filter((_, i) => i % stride === seed % stride);
}

async function dieIn(lane: Lane, { scenario, point }: Case) {
  try {
    return await lane.run(scenario, point);
  } catch (cause) {
    throw new Error(`"${scenario.name}", killed at "${point.label}" #${point.nth}: ${cause}`, { cause });
  }
}

/** Each lane takes the next item as soon as it is free; the first failure ends all. */
async function inTurn<T>(
  lanes: Lane[],
  work: T[],
  take: (lane: Lane, one: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const drive = async (lane: Lane) => {
    while (!failed && next < work.length) {
      const one = work[next++];
      if (one === undefined) return;
      await take(lane, one).catch((err: unknown) => {
        failed = true;
        throw err;
      });
    }
  };
  const results = await Promise.allSettled(lanes.map(drive));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
