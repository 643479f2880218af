/** Sources that are published concurrently. */
const CONCURRENCY = 16;
/** Bound of each queue. */
const MAX_QUEUED = 1_000;

/** Publishes a bounded part of a source; resolves to true when it has more. Never rejects. */
type PublishSlice = (source: string) => Promise<boolean>;

/**
 * Publishes sources a bounded slice at a time. Fresh sources and returning ones (they have more, or failed before) have a
 * queue each, and the two are served alternately: no backlog of returning sources starves a fresh one.
 */
export class FairScheduler {
  readonly #publishSlice: PublishSlice;
  readonly #fresh = new Set<string>();
  readonly #returning = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  #isReturningNext = false;
  #isStopped = false;

  constructor(publishSlice: PublishSlice) {
    this.#publishSlice = publishSlice;
  }

  /** Back-pressure: true while no fresh sources should be added. */
  get isFull(): boolean {
    return this.#fresh.size >= MAX_QUEUED;
  }

  /** Adds fresh sources that aren't queued or running; returns how many were added. */
  add(sources: readonly string[]): number {
    const added = sources.filter((source) => !this.#has(source));
    for (const source of added) this.#fresh.add(source);
    this.#schedule();
    return added.length;
  }

  /** Adds returning sources, as many as the queue takes; returns how many were added. */
  addReturning(sources: readonly string[]): number {
    const room = Math.max(0, MAX_QUEUED - this.#returning.size);
    const added = sources.filter((source) => !this.#has(source)).slice(0, room);
    for (const source of added) this.#returning.add(source);
    this.#schedule();
    return added.length;
  }

  /** Resolves when everything that was added has been published, or has failed. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Starts no further slice; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.idle();
  }

  #has(source: string): boolean {
    return this.#fresh.has(source) || this.#returning.has(source) || this.#running.has(source);
  }

  #schedule(): void {
    while (this.#running.size < CONCURRENCY && !this.#isStopped) {
      const source = this.#next();
      if (source === undefined) return;
      this.#running.set(source, this.#publish(source));
    }
  }

  #next(): string | undefined {
    const [one, other] = this.#isReturningNext
      ? [this.#returning, this.#fresh]
      : [this.#fresh, this.#returning];
    this.#isReturningNext = !this.#isReturningNext;
    const queue = one.size > 0 ? one : other;
    const [source] = queue;
    if (source !== undefined) queue.delete(source);
    return source;
  }

  async #publish(source: string): Promise<void> {
    const hasMore = await this.#publishSlice(source);
    this.#running.delete(source);
    // If the queue is full, the next sweep finds it as a fresh one.
    if (hasMore && this.#returning.size < MAX_QUEUED) this.#returning.add(source);
    this.#schedule();
  }
}
