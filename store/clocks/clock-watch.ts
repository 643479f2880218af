import type { Db } from "mongodb";
import type { ClockOffsets, StoreClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { createPolling } from "../../base/polling.ts";
import type { RedisConnection } from "../redis/nodes.ts";
import { measureStoreTimes } from "./store-times.ts";

const EVERY_MS = 5_000;
/** From this difference on it is logged. */
const WARNED_MS = 1_000;
/** A warning ends below this, so that a clock near the limit is logged once. */
const SETTLED_MS = 500;
/** Between two measurements, clocks that are only slowed down or sped up (NTP) move by milliseconds. */
const JUMP_MS = 500;
/** The first measurement is the narrowest of some: on a machine that is just starting, one may take long. */
const FIRST_MEASUREMENTS = 3;

type Stores = { db: Db; redis: RedisConnection | null };

/** Corrects `clock` once. Throws the driver's error when MongoDB doesn't answer. */
export async function measureClock(clock: StoreClock, stores: Stores): Promise<void> {
  const { failure, ...measured } = await measureStoreTimes(stores, clock.monotonic);
  clock.follow(measured);
  if (failure !== null) throw failure;
}

/**
 * Compares the host's clock with the stores' every few seconds, and keeps `clock` corrected. Logs when they differ, and when the
 * host's clock jumps. While a store is away, its last offset stands. `start` throws when MongoDB doesn't answer.
 */
export function createClockWatch({
  clock,
  log,
  everyMs = EVERY_MS,
  ...stores
}: Stores & { clock: StoreClock; log: Log; everyMs?: number }) {
  let hostOffset = clock.hostOffset();
  let level: "alike" | "apart" | "untrusted" = "alike";

  function logChange(): void {
    const offset = clock.hostOffset();
    const jumpedMs = offset - hostOffset;
    hostOffset = offset;
    if (Math.abs(jumpedMs) > JUMP_MS) log.warn({ seconds: inSeconds(jumpedMs) }, "host clock jumped");

    const offsets = clock.offsets();
    const apartMs = farthestMs(offsets);
    const next = levelAt(apartMs);
    if (next === level) return;
    level = next;
    const fields = { mongodbSeconds: inSeconds(offsets.mongodb), redisSeconds: inSeconds(offsets.redis) };
    if (level === "untrusted") log.error(fields, "clocks differ: sweeps stopped");
    else if (level === "apart") log.warn(fields, "clocks differ");
    else log.info(fields, "clocks agree");
  }

  function levelAt(apartMs: number): typeof level {
    if (!clock.isTrusted()) return "untrusted";
    if (apartMs > WARNED_MS) return "apart";
    return level === "alike" || apartMs < SETTLED_MS ? "alike" : "apart";
  }

  async function poll(): Promise<void> {
    try {
      await measureClock(clock, stores);
    } finally {
      logChange();
    }
  }

  const polling = createPolling({ everyMs, poll, what: "clock measurement", log });
  return {
    async start(): Promise<void> {
      for (let n = 1; n < FIRST_MEASUREMENTS; n++) await measureClock(clock, stores);
      await polling.start();
    },
    stop: polling.stop,
  };
}

/** The larger of both offsets, without its sign. */
export const farthestMs = ({ mongodb, redis }: ClockOffsets): number =>
  Math.max(Math.abs(mongodb ?? 0), Math.abs(redis ?? 0));

const inSeconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms) / 1_000);

/** What is wrong with the clocks in words, for operators; null: nothing. */
export function clockFault(clock: StoreClock): string | null {
  const { mongodb, redis } = clock.offsets();
  const wrong = clock.wrong();
  if (wrong === null) return null;
  if (wrong === "host") return `the host's clock is ${apart(mongodb)} MongoDB's`;
  const title = wrong === "mongodb" ? "MongoDB" : "Redis";
  return `the clock of ${title} is wrong: the host's is ${apart(wrong === "mongodb" ? mongodb : redis)} it`;
}

function apart(ms: number | null): string {
  const seconds = Math.abs(ms ?? 0) / 1_000;
  return `${seconds.toFixed(1)} s ${(ms ?? 0) > 0 ? "ahead of" : "behind"}`;
}
