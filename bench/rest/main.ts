/**
 * Measures REST beside a bare Express 5. Arguments: health, me, profile, stream, list, home, notifications, search, analytics, send, overload (all without one), --save, --rounds N,
 * --short (one round of 2 s, to see that all works), --profile FOLDER (CPU profile of our worker; figures then mean little).
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Redis } from "ioredis";
import { keys, SHARDS } from "../../store/redis/keys.ts";
import { inMs, inThousands, median } from "../figures.ts";
import { type Goal, type Result, type Row, save, show } from "../results.ts";
import { atLeast } from "../rooms/goals.ts";
import { openRedis } from "../rooms/own-redis.ts";
import { canPin, pinProcess, pinThisProcess } from "../rooms/processes.ts";
import { type ContenderName, openBare, openOurs, type Served, TITLES } from "./contenders.ts";
import { type Extent, type Figures, load } from "./load.ts";
import { type Measured, measuredOperations } from "./operations.ts";
import { type Overload, overload, overloadResult } from "./overload.ts";
import { openStage, type Stage } from "./stage.ts";

const { values, positionals: requestedParts } = parseArgs({
  allowPositionals: true,
  options: {
    save: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    profile: { type: "string" },
  },
});
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error("--rounds is a number");
if (values.short && values.save) throw new Error("--short is to look at; its figures aren't kept");
const extent: Extent = values.short
  ? { rounds: 1, warmUpMs: 2_000, ms: 2_000, connections: 32 }
  : { rounds, warmUpMs: 2_000, ms: 4_000, connections: 32 };
const GOAL = { ratio: 0.8, cachedPerSecond: 3_000 };
/** Of the list of live streams by signed-in users: dear enough that the load generator keeps up. */
const OVERLOAD = "overload";
const TRIM_MS = 500;
const LIVE_ENTRIES = 10_000;

pinThisProcess("load");
const stage = await openStage();
const redis = await openRedis();
const trimming = setInterval(() => void trim(redis.client), TRIM_MS);
try {
  await pinStores(stage, redis.client);
  const all = await measuredOperations(stage);
  const parts = new Set([...all.map(({ part }) => part), OVERLOAD]);
  const unknown = requestedParts.filter((word) => !parts.has(word));
  if (unknown.length > 0) throw new Error(`there are ${[...parts].join(", ")}, not ${unknown.join(", ")}`);
  const measured = all.filter(({ part }) => requestedParts.length === 0 || requestedParts.includes(part));
  const how =
    `Middle of ${extent.rounds} interleaved round(s) of ${extent.ms / 1_000} s after ${extent.warmUpMs / 1_000} s, ${extent.connections} connections; ` +
    (canPin
      ? "the server's one process on one core; MongoDB, Redis and the load generator on the other."
      : "nothing could be pinned to a core, so server, stores and load disturb each other.");
  const crowded = `The machine's load average was ${loadavg()[0]?.toFixed(1)} when it began.`;
  const contenders: Served[] = [
    await openBare(stage, redis.url),
    await openOurs(stage, redis.url, values.profile ?? null),
  ];
  try {
    for (const operation of measured) {
      console.log(operation.title);
      await requireSame(contenders, operation);
      const result: Result = {
        part: operation.title,
        how: `${how} ${crowded}`,
        ...(await compared(contenders, operation)),
      };
      show(result);
      if (values.save) save("rest", [result]);
    }
    const [overloaded] = all.filter(({ part }) => part === "list");
    if (overloaded && (requestedParts.length === 0 || requestedParts.includes(OVERLOAD))) {
      console.log(OVERLOAD);
      const result: Result = {
        part: OVERLOAD,
        how: `${how} ${crowded}`,
        ...(await comparedInOverload(contenders, overloaded)),
      };
      show(result);
      if (values.save) save("rest", [result]);
    }
  } finally {
    for (const served of contenders) await served.close();
  }
} finally {
  clearInterval(trimming);
  await redis.close();
  await stage.close();
}
process.exit(0);

async function comparedInOverload(
  contenders: readonly Served[],
  { requests }: Measured,
): Promise<{ rows: Row[]; goals: Goal[] }> {
  const rounds: Record<ContenderName, Overload[]> = { bare: [], ours: [] };
  for (let round = 1; round <= extent.rounds; round++) {
    for (const served of contenders) {
      console.log(`  round ${round} of ${extent.rounds}: ${served.name} …`);
      rounds[served.name].push(await overload(served, requests, extent));
    }
  }
  return overloadResult(rounds, extent);
}

async function compared(
  contenders: readonly Served[],
  operation: Measured,
): Promise<{ rows: Row[]; goals: Goal[] }> {
  const figures: Record<ContenderName, Figures[]> = { bare: [], ours: [] };
  for (let round = 1; round <= extent.rounds; round++) {
    for (const served of contenders) {
      console.log(`  round ${round} of ${extent.rounds}: ${served.name} …`);
      figures[served.name].push(await load(served, operation.requests, extent));
    }
  }
  const middle = (name: ContenderName, of: keyof Figures) => median(figures[name].map((one) => one[of]));
  const rate = middle("ours", "perSecond") / middle("bare", "perSecond");
  const perCore = middle("bare", "cpuUs") / middle("ours", "cpuUs");
  const row = (name: ContenderName): Row => ({
    what: TITLES[name],
    figure: [
      `${inThousands(middle(name, "perSecond"))} req/s`,
      `**${Math.round(middle(name, "cpuUs"))} µs CPU a request** (${inThousands(1e6 / middle(name, "cpuUs"))} of a core)`,
      `core ${Math.round(middle(name, "busy") * 100)} % busy`,
      `p50 / p99 ${inMs(middle(name, "p50"))} / ${inMs(middle(name, "p99"))}`,
    ].join(" · "),
    ratio: name === "bare" ? "1 ×" : `rate ${rate.toFixed(2)} ×, of a core ${perCore.toFixed(2)} ×`,
  });
  const kept = atLeast(
    "requests of a core, a second",
    1e6 / middle("ours", "cpuUs"),
    GOAL.cachedPerSecond,
    "",
  );
  return {
    rows: [row("bare"), row("ours")],
    goals: [
      atLeast("requests of a core against the bare one", perCore, GOAL.ratio, "×"),
      ...(operation.cached ? [kept] : []),
    ],
  };
}

/** Both do the same work: what they answer has the same fields and nearly the same size. */
async function requireSame(contenders: readonly Served[], { requests }: Measured): Promise<void> {
  const shapes = await Promise.all(
    contenders.map(async ({ port }, i) => {
      // Nobody says two messages in one moment; who reads something else is answered something else.
      const which = requests[0]?.method === "GET" ? 0 : i;
      const { method = "GET", path = "/", body, headers } = requests[which % requests.length] ?? {};
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: new Headers(headers as Record<string, string>),
        ...(typeof body === "string" ? { body } : {}),
      });
      return { status: response.status, shape: shapeOf(await response.json()) };
    }),
  );
  const [one, other] = shapes.map((shape) => JSON.stringify(shape));
  if (one !== other) throw new Error(`the contenders answer differently:\n${one}\n${other}`);
}

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

/** Stores that the runner started run anywhere; here they stay off the server's core. */
async function pinStores({ mongo }: Stage, client: Redis): Promise<void> {
  const { pid } = await mongo.db.admin().serverStatus();
  const redisPid = /^process_id:(\d+)/m.exec(await client.info("server"))?.[1];
  for (const one of [pid, redisPid]) pinProcess("load", Number(one));
}

/** What the archive leaves of a shard's live stream, which nobody archives here. */
async function trim(client: Redis): Promise<void> {
  for (let shard = 0; shard < SHARDS; shard++)
    await client
      .xtrim(keys.shardLive(shard), "MAXLEN", "~", LIVE_ENTRIES)
      .catch(() => clearInterval(trimming));
}
