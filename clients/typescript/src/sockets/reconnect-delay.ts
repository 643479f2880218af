const MAX_DELAY_MS = 10_000;

/** How long a client stays away before its next socket: a random time up to a bound that doubles with each failure. */
export class ReconnectDelay {
  readonly #baseDelayMs: number;
  readonly #random: () => number;
  #failures = 0;
  #retryAfterMs: number | null = null;
  #lostWithinMs = 0;

  constructor({ baseDelayMs = 250, random = Math.random }: { baseDelayMs?: number; random?: () => number }) {
    this.#baseDelayMs = baseDelayMs;
    this.#random = random;
  }

  /** All is well: the next loss is the first one again. */
  reset(): void {
    this.#failures = 0;
    this.#retryAfterMs = null;
  }

  /** The server's word from when all was well, for a socket that is lost without one. */
  lostWithin(ms: number): void {
    this.#lostWithinMs = ms;
  }

  /** The server's word at its end, for the next time alone. */
  retryAfter(ms: number): void {
    this.#retryAfterMs = ms;
  }

  /** Counts a failure. */
  nextMs(): number {
    const first = Math.max(this.#baseDelayMs, this.#lostWithinMs);
    const bound = this.#retryAfterMs ?? Math.max(first, Math.min(MAX_DELAY_MS, first * 2 ** this.#failures));
    this.#failures++;
    this.#retryAfterMs = null;
    return this.#random() * bound;
  }
}
