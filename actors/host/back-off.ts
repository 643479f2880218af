const FIRST_MS = 500;
const MOST = 1_000;

/** Sources that are left alone for a while, twice as long after each failure in a row; at most 1,000, the oldest go. */
export class BackOff {
  readonly #waiting = new Map<string, { until: number; pauseMs: number }>();

  /** `now` in ms; a pause isn't longer than `longestMs`. */
  failed(source: string, now: number, longestMs: number): void {
    const last = this.#waiting.get(source)?.pauseMs ?? FIRST_MS / 2;
    const pauseMs = Math.min(2 * last, longestMs);
    this.#waiting.delete(source);
    this.#waiting.set(source, { until: now + pauseMs, pauseMs });
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MOST && oldest !== undefined) this.#waiting.delete(oldest);
  }

  succeeded(source: string): void {
    this.#waiting.delete(source);
  }

  /** Those whose pause isn't over. */
  waitingAt(now: number): string[] {
    return [...this.#waiting].filter(([, { until }]) => until > now).map(([source]) => source);
  }
}
