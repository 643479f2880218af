const MAX_DELAY_MS = 10_000;

/** The delay before a reconnect: full jitter below a bound that doubles with each failure, up to 10 s. */
export class ReconnectDelay {
  readonly #baseDelayMs: number;
  readonly #random: () => number;
  #failures = 0;
  #retryAfterMs: number | null = null;
  #minBoundMs = 0;

  constructor({ baseDelayMs = 250, random = Math.random }: { baseDelayMs?: number; random?: () => number }) {
    this.#baseDelayMs = baseDelayMs;
    this.#random = random;
  }

  /** The connection is established: resets the back-off. */
  reset(): void {
    this.#failures = 0;
    this.#retryAfterMs = null;
  }

  /** `hello.retry_after_ms`: the minimum bound for a socket that is lost without a bye. */
  lostWithin(ms: number): void {
    this.#minBoundMs = ms;
  }

  /** `bye.retry_after_ms`: the bound for the next reconnect only. */
  retryAfter(ms: number): void {
    this.#retryAfterMs = ms;
  }

  /** Returns the delay and counts a failure. */
  nextMs(): number {
    const first = Math.max(this.#baseDelayMs, this.#minBoundMs);
    const bound = this.#retryAfterMs ?? Math.max(first, Math.min(MAX_DELAY_MS, first * 2 ** this.#failures));
    this.#failures++;
    this.#retryAfterMs = null;
    return this.#random() * bound;
  }
}
