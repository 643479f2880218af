import type { Log } from "../../../store/log.ts";
import type { Owner } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { keepSockets, type SocketTaken, takeSocket } from "../../../store/redis/scripts/sockets.ts";
import { RenewalRound } from "./renewal-round.ts";
import { WorkerLiveness } from "./worker-liveness.ts";

const BEAT_MS = 1_000;
/** Keys are kept for an hour; each count is written anew three times in it. */
const RENEWED_WITHIN_BEATS = 1_200;
/** So many are written in one beat, once Redis has missed some. */
const REWRITTEN_A_BEAT = 1_000;
const MAX_UNWRITTEN = 10_000;

export type SocketCounts = ReturnType<typeof createSocketCounts>;

/**
 * Open sockets by address and by user, over all workers. Each worker writes its own count beside those of the others,
 * and says once a second that it lives: the counts of one that was killed don't count any more after some seconds,
 * however many they were. While Redis is unavailable each worker goes by its own counts.
 */
export function createSocketCounts({ redis, log }: { redis: RedisConnection; log: Log }) {
  const workers = new WorkerLiveness(redis);
  const here = new Map<Owner, number>();
  /** Of these Redis may have another count. */
  const unwritten = new Set<Owner>();
  let leaving = new Set<Owner>();
  const renewals = new RenewalRound(here, RENEWED_WITHIN_BEATS);
  let isNameSpoilt = false;
  let isBeating = false;

  async function write(owner: Owner): Promise<void> {
    try {
      await keepSockets(redis, owner, workers.name, here.get(owner) ?? 0);
    } catch (err) {
      log.debug({ err }, "a count of sockets could not be written");
      missed(owner);
    }
  }

  function missed(owner: Owner): void {
    unwritten.add(owner);
    if (unwritten.size <= MAX_UNWRITTEN) return;
    unwritten.clear();
    isNameSpoilt = true;
  }

  async function heartbeat(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    try {
      const wasForgotten = await workers.heartbeat();
      if (isNameSpoilt && !wasForgotten) await workers.rename();
      if (wasForgotten || isNameSpoilt) for (const owner of here.keys()) unwritten.add(owner);
      isNameSpoilt = false;
      await Promise.all([...due()].map(write));
    } catch (err) {
      log.debug({ err }, "sockets are counted per worker while Redis is unavailable");
    } finally {
      isBeating = false;
    }
  }

  function* due(): Generator<Owner> {
    let left = REWRITTEN_A_BEAT;
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

  /** Once for all that closed in one turn. */
  async function writeLeaving(): Promise<void> {
    const owners = leaving;
    leaving = new Set();
    await Promise.all([...owners].map(write));
  }

  return {
    /** Before any socket is taken: others may take this worker for dead otherwise. */
    start: heartbeat,
    /**
     * Counts one more socket of `owner` before it is opened, unless all workers have `most` together, and an upgrade
     * where those are limited. Null: Redis is unavailable, and the socket counts here. `release` it once, unless
     * it is refused.
     */
    async take(
      owner: Owner,
      limits: { most: number; upgrades: { most: number; windowMs: number } | null },
    ): Promise<SocketTaken | null> {
      // Written as it is, so those that come at the same time count as well.
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
        // Others that came meanwhile have counted it as well: what is written goes back with it.
        if (taken.refusal !== null) release(owner);
        return taken;
      } catch (err) {
        log.debug({ err }, "a socket is counted here alone");
        missed(owner);
        return null;
      }
    },
    release,
    /** By which this worker is known among those that live; it may change. */
    worker: () => workers.name,
    /** On this worker. */
    here: (owner: Owner): number => here.get(owner) ?? 0,
    async stop(): Promise<void> {
      clearInterval(beating);
      // Clients that were sent away reconnect to other workers already.
      await writeLeaving();
      await workers.leave().catch((err: unknown) => {
        log.debug({ err }, "this worker's sockets count for some seconds more");
      });
    },
  };
}
