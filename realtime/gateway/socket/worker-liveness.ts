import { newId } from "../../../store/ids.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { workerHeartbeat } from "../../../store/redis/scripts/worker-heartbeat.ts";

/** A worker without a heartbeat for so long is dead, and its sockets with it. */
const DEAD_MS = 5_000;
const LOOK_AGAIN_MS = 1_000;
const MAX_DEAD = 1_000;

/**
 * Which realtime workers are live, by their heartbeats. This one has a name that it changes when what Redis knows by the old
 * one can't be relied upon: it was taken for dead, or Redis has lost its data.
 */
export class WorkerLiveness {
  private readonly redis: RedisConnection;
  private ownName = newId();
  private live = new Set<string>();
  /** Names don't come back, so who was found dead once is. */
  private readonly dead = new Set<string>();
  private isNamed = false;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | null = null;

  constructor(redis: RedisConnection) {
    this.redis = redis;
  }

  /** By which this worker counts. */
  get name(): string {
    return this.ownName;
  }

  /** This worker's heartbeat; call it every second. True when it has another name since. Throws unavailable. */
  async heartbeat(): Promise<boolean> {
    const { wasKnown, live } = await this.announce(this.ownName);
    this.setLive(live);
    const isForgotten = this.isNamed && !wasKnown;
    this.isNamed = true;
    if (isForgotten) await this.rename();
    return isForgotten;
  }

  /** What is known by the old name is dead from here on. Throws unavailable. */
  async rename(): Promise<void> {
    const former = this.ownName;
    this.ownName = newId();
    await this.announce(this.ownName);
    // Where that fails it dies by itself, without heartbeats.
    await this.announce(former, true).catch(() => undefined);
  }

  /** Those of `workers` that are surely dead. Looks at most once a second for those that it knows nothing of. */
  async deadOf(workers: readonly string[]): Promise<string[]> {
    const knownDead = workers.filter((worker) => this.dead.has(worker));
    if (workers.every((worker) => this.isLive(worker) || this.dead.has(worker))) return knownDead;
    const now = performance.now();
    if (now - this.lookedAt < LOOK_AGAIN_MS && !this.looking) return knownDead;
    // One that began after the last look is unknown to it.
    this.looking ??= this.announce(this.ownName)
      .then(({ live }) => this.setLive(live))
      .finally(() => {
        this.looking = null;
      });
    this.lookedAt = now;
    await this.looking;
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
