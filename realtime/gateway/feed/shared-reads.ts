/**
 * Callers of one key share one read: until `ttlMs` after its beginning, and while it runs, up to `slowMs`. So a slow store isn't
 * read again for each caller, and a read that hangs holds up only those who came within that time. A failed read isn't cached:
 * the next caller retries.
 */
export class SharedReads<Key, Answer> {
  private readonly reads = new Map<Key, Promise<Answer>>();
  private readonly ttlMs: number;
  private readonly slowMs: number;
  private readonly maxEntries: number;

  /** At most `maxEntries` answers are cached; beyond that the oldest is evicted. `slowMs` is at least `ttlMs`. */
  constructor(options: { ttlMs: number; slowMs: number; maxEntries: number }) {
    this.ttlMs = options.ttlMs;
    this.slowMs = options.slowMs;
    this.maxEntries = options.maxEntries;
  }

  has(key: Key): boolean {
    return this.reads.has(key);
  }

  /** `read` may call `drop`, not before its first await, so that its answer isn't cached. */
  get(key: Key, read: (drop: () => void) => Promise<Answer>): Promise<Answer> {
    const known = this.reads.get(key);
    if (known) return known;
    const drop = () => this.drop(key, answer);
    const answer = read(drop);
    const [oldest] = this.reads.keys();
    if (this.reads.size >= this.maxEntries && oldest !== undefined) this.reads.delete(oldest);
    this.reads.set(key, answer);
    let isRunning = true;
    const settle = () => {
      isRunning = false;
    };
    answer.then(settle, drop);
    setTimeout(() => {
      if (!isRunning) return drop();
      void answer.then(drop, drop);
      setTimeout(drop, this.slowMs - this.ttlMs).unref();
    }, this.ttlMs).unref();
    return answer;
  }

  /**
   * Later callers read again, those that already wait keep the read that they share. Does nothing when another caller has already
   * replaced `read`.
   */
  drop(key: Key, read: Promise<Answer>): void {
    if (this.reads.get(key) === read) this.reads.delete(key);
  }

  clear(): void {
    this.reads.clear();
  }
}
