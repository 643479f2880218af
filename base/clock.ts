import { uptime } from "node:os";

/** Wall time in Unix milliseconds, for everything with rules about time. Specs pass one that they control. */
export type Clock = {
  now(): number;
  /** False while what is due by this clock mustn't be done. Absent: always true. */
  isTrusted?(): boolean;
};

/** What the operating system says, ms. */
type HostClock = {
  /** Unix time; may be wrong, and jump. */
  wall(): number;
  /** Since any time; stands still while the machine is suspended. */
  monotonic(): number;
  /** Since the machine's start; goes on while it is suspended. */
  uptime(): number;
};

/** A store's time minus this process's monotonic time: between these, as one measurement shows. */
export type Bounds = { from: number; to: number };

export type Measurement = {
  /** Null: MongoDB didn't answer. */
  mongodb: Bounds | null;
  /** By address; of each server that answered. */
  redis: ReadonlyMap<string, Bounds>;
};

/** How far the host's wall clock is ahead of each store's, ms; null: unknown. Of several Redis servers the farthest. */
export type ClockOffsets = { mongodb: number | null; redis: number | null };

/** From this difference on, nothing that is due is done, and a store's time isn't followed against both other clocks. */
export const TOLERANCE_MS = 3_000;

/** The uptime is a file, so it isn't read for each request. */
const STEADY_MS = 100;

export type StoreClock = ReturnType<typeof createStoreClock>;

/**
 * This process's clock, corrected to MongoDB's, so that processes on hosts whose clocks differ agree:
 * 1. it counts by the monotonic clock, so that a wall clock that jumps doesn't move it;
 * 2. `follow` corrects it by what was measured, as far as the measurement proves: the time a reply took is no correction;
 * 3. MongoDB's time is followed while Redis', the host's or this clock agrees with it, or no Redis was measured. Otherwise the last
 *    correction stands: a new primary whose clock is wrong moves no due time. Without one, MongoDB's is followed in any case, as it is
 *    the only clock that all hosts see;
 * 4. a correction backwards, up to the tolerance, makes it stand still instead;
 * 5. it isn't trusted while the host's clock and MongoDB's differ by more than the tolerance, nor after a suspension until the next
 *    measurement.
 * Before the first measurement it is the host's wall clock, or what `begin` was told.
 */
export function createStoreClock(host: HostClock) {
  let correction: number | null = null;
  let mongodb: number | null = null;
  let redis: ReadonlyMap<string, number> = new Map();
  let latest = 0;
  let measuredUptimeOffset = 0;
  let steady = { at: Number.NEGATIVE_INFINITY, is: true };

  const uptimeOffset = () => host.uptime() - host.monotonic();
  const ofHost = () => host.wall() - host.monotonic();

  function follow(measured: Measurement): void {
    if (measured.redis.size > 0)
      redis = new Map([...measured.redis].map(([node, bounds]) => [node, within(bounds, redis.get(node))]));
    if (measured.mongodb === null) return;
    const time = within(measured.mongodb, mongodb);
    mongodb = time;
    measuredUptimeOffset = uptimeOffset();
    steady = { at: Number.NEGATIVE_INFINITY, is: true };
    const others = [ofHost(), correction ?? time, ...redis.values()];
    if (redis.size === 0 || others.some((other) => areAlike(other, time))) correction = time;
  }

  function isSteady(): boolean {
    const at = host.monotonic();
    if (Math.abs(at - steady.at) > STEADY_MS)
      steady = { at, is: areAlike(uptimeOffset(), measuredUptimeOffset) };
    return steady.is;
  }

  return {
    now(): number {
      const at = correction === null ? host.wall() : Math.floor(host.monotonic() + correction);
      if (at > latest || latest - at > TOLERANCE_MS) latest = at;
      return latest;
    },

    /** Takes over the time of another process on this host, which was that much ahead of the host's wall clock, ms. */
    begin(aheadMs: number): void {
      correction ??= ofHost() + aheadMs;
    },

    isTrusted: (): boolean => mongodb === null || (areAlike(ofHost(), mongodb) && isSteady()),

    follow,

    offsets(): ClockOffsets {
      const ahead = [...redis.values()].map((time) => ofHost() - time);
      const farthest = ahead.sort((a, b) => Math.abs(b) - Math.abs(a))[0];
      return { mongodb: mongodb === null ? null : ofHost() - mongodb, redis: farthest ?? null };
    },

    /** Whose clock is wrong, as the two others agree against it; without Redis' time it is the host's. Null: no clock is. */
    wrong(): "host" | "mongodb" | "redis" | null {
      const isLikeHost = (time: number) => areAlike(ofHost(), time);
      const others = [...redis.values()];
      if (mongodb !== null && !isLikeHost(mongodb)) return others.some(isLikeHost) ? "mongodb" : "host";
      return others.every(isLikeHost) ? null : "redis";
    },

    hostNow: host.wall,
    /** The host's wall time minus its monotonic time, ms: changes when the wall clock jumps. */
    hostOffset: ofHost,
    monotonic: host.monotonic,
  };
}

const areAlike = (a: number, b: number): boolean => Math.abs(a - b) <= TOLERANCE_MS;

/** As near to `known` as the bounds allow. */
function within({ from, to }: Bounds, known: number | null | undefined): number {
  return Math.min(Math.max(known ?? (from + to) / 2, from), to);
}

/** The host's clocks. Nothing else reads its wall clock for times that another process compares. */
const hostClock: HostClock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1_000,
};

/** The clock of this process, corrected by a clock watch (clocks/clock-watch.ts). */
export const processClock: StoreClock = createStoreClock(hostClock);
