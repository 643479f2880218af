import { newId } from "../../../base/ids.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { workerHeartbeat } from "../../../store/redis/scripts/worker-heartbeat.ts";

/** A worker without a heartbeat for this long is dead, and its sockets with it. */
const DEAD_MS = 5_000;
const REREAD_MS = 1_000;
const MAX_DEAD = 1_000;

/**
 * Which realtime workers are live, by their heartbeats. This worker changes its name when what Redis knows under the old
 * one can't be relied upon: it was taken for dead, or Redis has lost its data.
 */
export class WorkerLiveness {
  private readonly redis: RedisConnection;
  private ownName = newId();
  private live = new Set<string>();
  /** Names aren't reused, so a worker that was found dead stays dead. */
  private readonly dead = new Set<string>();
  private isNamed = false;
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | null = null;

  constructor(redis: RedisConnection) {
    this.redis = redis;
  }

  get name(): string {
    return this.ownName;
  }

  /** Sends this worker's heartbeat; call it every second. Returns true if the name has changed by it. Throws unavailable. */
  async heartbeat(): Promise<boolean> {
    const { wasKnown, live } = await this.announce(this.ownName);
    this.setLive(live);
    const isForgotten = this.isNamed && !wasKnown;
    this.isNamed = true;
    if (isForgotten) await this.rename();
    return isForgotten;
  }

  /** From here on the old name counts as dead. Throws unavailable. */
  async rename(): Promise<void> {
    const former = this.ownName;
    this.ownName = newId();
    await this.announce(this.ownName);
    // If that fails, the old name dies by itself, without heartbeats.
    await this.announce(former, true).catch(() => undefined);
  }

  /** Those of `workers` that are surely dead. Reads at most once a second for unknown ones. */
  async deadOf(workers: readonly string[]): Promise<string[]> {
    const knownDead = workers.filter((worker) => this.dead.has(worker));
    if (workers.every((worker) => this.isLive(worker) || this.dead.has(worker))) return knownDead;
    const now = performance.now();
    if (now - this.readAt < REREAD_MS && !this.reading) return knownDead;
    // A worker that began after the last read is unknown to it.
    this.reading ??= this.announce(this.ownName)
      .then(({ live }) => this.setLive(live))
      .finally(() => {
        this.reading = null;
      });
    this.readAt = now;
    await this.reading;
    const dead = workers.filter((worker) => !this.isLive(worker));
    for (const worker of dead) this.remember(worker);
    return dead;
  }

  async leave(): Promise<void> {
    await this.announce(this.ownName, true);
  }

  private remember(worker: string): void {
    this.dead.add(worker);
    const [oldest] = this.dead;
    if (this.dead.size > MAX_DEAD && oldest !== undefined) this.dead.delete(oldest);
  }

  private isLive(worker: string): boolean {
    return worker === this.ownName || this.live.has(worker);
  }

  private setLive(live: readonly string[]): void {
    this.live = new Set(live);
  }

  private announce(worker: string, leaves = false) {
    return workerHeartbeat(this.redis, { worker, silentMs: DEAD_MS, leaves });
  }
}
