/**
 * One read for all callers of one key within a moment: while it runs, and up to `keptMs` after it began.
 * A read that failed isn't kept: the next caller tries anew.
 */
export class SharedReads<Answer> {
  private readonly running = new Map<string, Promise<Answer>>();
  private readonly keptMs: number;
  private readonly most: number;

  /** `most` answers are kept at once; beyond it the oldest goes. */
  constructor(options: { keptMs: number; most: number }) {
    this.keptMs = options.keptMs;
    this.most = options.most;
  }

  has(key: string): boolean {
    return this.running.has(key);
  }

  get(key: string, read: () => Promise<Answer>): Promise<Answer> {
    const known = this.running.get(key);
    if (known) return known;
    const answer = read();
    const drop = () => {
      if (this.running.get(key) === answer) this.running.delete(key);
    };
    const [oldest] = this.running.keys();
    if (this.running.size >= this.most && oldest !== undefined) this.running.delete(oldest);
    this.running.set(key, answer);
    answer.catch(drop);
    setTimeout(drop, this.keptMs).unref();
    return answer;
  }

  /** Later callers read anew; those that wait get the read that they share. */
  drop(key: string): void {
    this.running.delete(key);
  }

  clear(): void {
    this.running.clear();
  }
}
