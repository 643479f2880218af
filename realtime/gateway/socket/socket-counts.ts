import type { Log } from "../../../base/log.ts";
import type { Owner } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { keepSockets, type SocketTaken, takeSocket } from "../../../store/redis/scripts/sockets.ts";
import { RenewalRound } from "./renewal-round.ts";
import { WorkerLiveness } from "./worker-liveness.ts";

const BEAT_MS = 1_000;
/** Keys have a TTL of an hour; each count is rewritten three times within it. */
const RENEWAL_BEATS = 1_200;
/** Counts written per heartbeat after Redis has missed some. */
const REWRITES_PER_BEAT = 1_000;
const MAX_UNWRITTEN = 10_000;

export type SocketCounts = ReturnType<typeof createSocketCounts>;

/**
 * Open sockets by address and by user, over all workers. Each worker writes its own count beside those of the others, and
 * sends a heartbeat once a second: the counts of a killed worker expire after some seconds, however many they were. While
 * Redis is unavailable each worker goes by its own counts.
 */
export function createSocketCounts({ redis, log }: { redis: RedisConnection; log: Log }) {
  const workers = new WorkerLiveness(redis);
  const here = new Map<Owner, number>();
  /** Owners whose count in Redis may be out of date. */
  const unwritten = new Set<Owner>();
  let leaving = new Set<Owner>();
  const renewals = new RenewalRound(here, RENEWAL_BEATS);
  let mustRename = false;
  let isBeating = false;
  let heardAt = performance.now();

  async function write(owner: Owner): Promise<void> {
    try {
      await keepSockets(redis, owner, workers.name, here.get(owner) ?? 0);
    } catch (err) {
      log.debug({ err }, "a count of sockets could not be written");
      noteUnwritten(owner);
    }
  }

  function noteUnwritten(owner: Owner): void {
    unwritten.add(owner);
    if (unwritten.size <= MAX_UNWRITTEN) return;
    unwritten.clear();
    mustRename = true;
  }

  async function heartbeat(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    try {
      const wasForgotten = await workers.heartbeat();
      heardAt = performance.now();
      if (mustRename && !wasForgotten) await workers.rename();
      if (wasForgotten || mustRename) for (const owner of here.keys()) unwritten.add(owner);
      mustRename = false;
      await Promise.all([...due()].map(write));
    } catch (err) {
      log.debug({ err }, "sockets are counted per worker while Redis is unavailable");
    } finally {
      isBeating = false;
    }
  }

  function* due(): Generator<Owner> {
    let left = REWRITES_PER_BEAT;
    for (const owner of unwritten) {
      if (left-- === 0) return;
      unwritten.delete(owner);
      yield owner;
    }
    yield* renewals.next();
  }
  const beating = setInterval(() => void heartbeat(), BEAT_MS);

  function release(owner: Owner): void {
    const left = (here.get(owner) ?? 1) - 1;
    if (left > 0) here.set(owner, left);
    else here.delete(owner);
    if (leaving.size === 0) setImmediate(() => void writeLeaving());
    leaving.add(owner);
  }

  /** Written once for all sockets that closed in one turn. */
  async function writeLeaving(): Promise<void> {
    const owners = leaving;
    leaving = new Set();
    await Promise.all([...owners].map(write));
  }

  return {
    /** Call it before any socket is counted: other workers may take this one for dead otherwise. */
    start: heartbeat,
    /**
     * Counts one more socket of `owner` before it is opened, and an upgrade where those are limited. Refused when all
     * workers together have `most`. Returns null when Redis is unavailable; the socket then counts on this worker only.
     * Call `release` once unless it was refused.
     */
    async take(
      owner: Owner,
      limits: { most: number; upgrades: { most: number; windowMs: number } | null },
    ): Promise<SocketTaken | null> {
      // Written as an absolute count, so that concurrent sockets are included.
      const mine = (here.get(owner) ?? 0) + 1;
      here.set(owner, mine);
      const take = (more: Partial<Parameters<typeof takeSocket>[1]> = {}) =>
        takeSocket(redis, { owner, worker: workers.name, mine, dead: [], ...limits, ...more });
      try {
        let taken = await take();
        const dead = taken.workers.length > 0 ? await workers.deadOf(taken.workers) : [];
        if (dead.length > 0) {
          const { refusal } = await take({ mine: here.get(owner) ?? mine, dead, upgrades: null });
          taken = { ...taken, refusal };
        }
        // Concurrent calls have included it in their count: `release` also corrects what was written.
        if (taken.refusal !== null) release(owner);
        return taken;
      } catch (err) {
        log.debug({ err }, "a socket is counted here alone");
        noteUnwritten(owner);
        return null;
      }
    },
    release,
    /** Milliseconds since a heartbeat was last answered. */
    silentMs: () => performance.now() - heardAt,
    /** This worker's name among the live workers; it may change. */
    worker: () => workers.name,
    /** The count on this worker. */
    here: (owner: Owner): number => here.get(owner) ?? 0,
    async stop(): Promise<void> {
      clearInterval(beating);
      // Clients that were sent away are already reconnecting to other workers.
      await writeLeaving();
      await workers.leave().catch((err: unknown) => {
        log.debug({ err }, "this worker's sockets count for some seconds more");
      });
    },
  };
}
