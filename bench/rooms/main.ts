/**
 * Measures the rooms beside peers in the same run. Arguments: parts (all without one), --save, --rounds N,
 * --short (one round of 2 s, to see that all works), --alone (in fan-outs only ours, for longer, to look at it with a
 * profiler), --profile FOLDER (CPU profiles of our workers; figures then mean little).
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type Result, save, show } from "../results.ts";
import {
  type Extent,
  type Measuring,
  measureAdmission,
  measureConnect,
  measureFanOut,
  measureHerd,
  measureIdle,
  measureOwnEvents,
  measureTerms,
} from "./measure.ts";
import { measureOverload } from "./overload.ts";
import { FAN_OUTS } from "./parts/fan-outs.ts";
import { canPin, pinThisProcess } from "./processes.ts";
import { openStage } from "./stage.ts";

const PARTS = [
  "raid",
  "hot",
  "thousand",
  "busy",
  "small",
  "overload",
  "idle",
  "connect",
  "herd",
  "workers",
  "admission",
  "terms",
  "own",
];

const OTHERS: Record<
  string,
  { title: string; measure: (measuring: Measuring) => Promise<Pick<Result, "rows" | "goals">> }
> = {
  overload: {
    title: "overload: 500 rooms × 2 sockets, twice what one worker can carry, then half of it",
    measure: measureOverload,
  },
  idle: { title: "idle sockets, signed in, in one room", measure: measureIdle },
  connect: { title: "connect, ticket, subscribe", measure: measureConnect },
  herd: { title: "a herd returns", measure: measureHerd },
  admission: { title: "admission alone, saturated", measure: measureAdmission },
  terms: { title: "blocked terms", measure: measureTerms },
  own: { title: "one user's event, to one socket of many", measure: measureOwnEvents },
};

const { values, positionals: requestedParts } = parseArgs({
  allowPositionals: true,
  options: {
    save: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    alone: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    profile: { type: "string" },
  },
});
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error("--rounds is a number");
const unknown = requestedParts.filter((word) => !PARTS.includes(word));
if (unknown.length > 0) throw new Error(`there are ${PARTS.join(", ")}, not ${unknown.join(", ")}`);
if ((values.short || values.alone) && values.save)
  throw new Error("--short and --alone are to look at; their figures aren't kept");

const LONG: Extent = { rounds, warmUpMs: 2_000, ms: 4_000, clients: 5_000 };
const SHORT: Extent = { rounds: 1, warmUpMs: 1_000, ms: 2_000, clients: 1_000 };
const extent = values.short ? SHORT : { ...LONG, ...(values.alone ? { warmUpMs: 8_000, ms: 8_000 } : {}) };
pinThisProcess("load");
const how =
  `Middle of ${extent.rounds} interleaved round(s) of ${extent.ms / 1_000} s after ${extent.warmUpMs / 1_000} s; ` +
  (canPin
    ? "all server processes and their Redis on one core, the load generator on the other."
    : "nothing could be pinned to a core, so servers and load disturb each other.");

const crowded = `The machine's load average was ${loadavg()[0]?.toFixed(1)} when it began.`;
const stage = await openStage();
try {
  const measuring: Measuring = {
    stage,
    extent,
    say: (line) => console.log(`  ${line}`),
    profileTo: values.profile ?? null,
    alone: values.alone,
  };
  for (const part of PARTS) {
    if (requestedParts.length > 0 && !requestedParts.includes(part)) continue;
    const other = OTHERS[part];
    const pieces = other
      ? [{ title: other.title, measure: () => other.measure(measuring) }]
      : (FAN_OUTS[part] ?? []).map((piece) => ({
          title: piece.title,
          measure: () => measureFanOut(measuring, piece),
        }));
    for (const { title, measure } of pieces) {
      console.log(`${part}: ${title}`);
      const measured = await measure();
      const result: Result = { part: title, how: `${how} ${crowded}`, ...measured };
      show(result);
      // After each, so that a run which is cut short has something to show.
      if (values.save) save("rooms", [result]);
    }
  }
} finally {
  await stage.close();
}
process.exit(0);
