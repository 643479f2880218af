/**
 * Callers of one key share one read: while it runs, and until `ttlMs` after its beginning. A failed read isn't cached: the next
 * caller retries.
 */
export class SharedReads<Answer> {
  private readonly reads = new Map<string, Promise<Answer>>();
  private readonly ttlMs: number;
  private readonly maxEntries: number;

  /** At most `maxEntries` answers are cached; beyond that the oldest is evicted. */
  constructor(options: { ttlMs: number; maxEntries: number }) {
    this.ttlMs = options.ttlMs;
    this.maxEntries = options.maxEntries;
  }

  has(key: string): boolean {
    return this.reads.has(key);
  }

  get(key: string, read: () => Promise<Answer>): Promise<Answer> {
    const known = this.reads.get(key);
    if (known) return known;
    const answer = read();
    const drop = () => {
      if (this.reads.get(key) === answer) this.reads.delete(key);
    };
    const [oldest] = this.reads.keys();
    if (this.reads.size >= this.maxEntries && oldest !== undefined) this.reads.delete(oldest);
    this.reads.set(key, answer);
    answer.catch(drop);
    // A read that takes longer than that is shared on: a slow store isn't read again for each caller.
    setTimeout(() => void answer.then(drop, drop), this.ttlMs).unref();
    return answer;
  }

  /** Later callers read again; those that already wait keep the read that they share. */
  drop(key: string): void {
    this.reads.delete(key);
  }

  clear(): void {
    this.reads.clear();
  }
}
