const FIRST_MS = 500;
const MAX_SOURCES = 100_000;

type Pause = { failedAt: number; pauseMs: number };

/**
 * Exponential back-off of failed sources: the pause doubles with each failure in a row. When `most` (100,000) sources are
 * stored, a further one isn't added. Evicting another one instead wouldn't help: it would be the next to fail.
 */
export class BackOff {
  /** In the order of their last failures. */
  readonly #pauses = new Map<string, Pause>();
  readonly #most: number;

  constructor(most = MAX_SOURCES) {
    this.#most = most;
  }

  /** `now` in ms; `longestMs` caps the pause. */
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

  /** At most `limit` sources whose pause is over; those that failed longest ago come first. */
  over(now: number, limit: number): string[] {
    const sources: string[] = [];
    for (const [source, pause] of this.#pauses) {
      if (sources.length >= limit) break;
      if (isOver(pause, now)) sources.push(source);
    }
    return sources;
  }
}

/** `now` before `failedAt` means that the clock was set back: the pause so far is unknown, so it counts as over. */
const isOver = ({ failedAt, pauseMs }: Pause, now: number) => now < failedAt || now >= failedAt + pauseMs;
