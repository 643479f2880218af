const FIRST_MS = 500;
const MOST = 100_000;

type Pause = { failedAt: number; pauseMs: number };

/**
 * Sources that failed and are left alone for a while, twice as long after each failure in a row. Beyond `most` (100,000) a
 * further one isn't remembered, rather than another one forgotten: those forgotten would be the next to fail.
 */
export class BackOff {
  /** In the order of their last failures. */
  readonly #pauses = new Map<string, Pause>();
  readonly #most: number;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** `now` in ms; a pause isn't longer than `longestMs`. */
  failed(source: string, now: number, longestMs: number): void {
    const last = this.#pauses.get(source)?.pauseMs ?? FIRST_MS / 2;
    this.#pauses.delete(source);
    if (this.#pauses.size >= this.#most) return;
    this.#pauses.set(source, { failedAt: now, pauseMs: Math.min(2 * last, longestMs) });
  }

  succeeded(source: string): void {
    this.#pauses.delete(source);
  }

  has(source: string): boolean {
    return this.#pauses.has(source);
  }

  /** At most `limit` of those whose pause is over; those that failed longest ago first. */
  over(now: number, limit: number): string[] {
    const found: string[] = [];
    for (const [source, pause] of this.#pauses) {
      if (found.length >= limit) break;
      if (isOver(pause, now)) found.push(source);
    }
    return found;
  }
}

/** Before it began the clock has stepped back, and nobody knows how long the pause has been. */
const isOver = ({ failedAt, pauseMs }: Pause, now: number) => now < failedAt || now >= failedAt + pauseMs;
