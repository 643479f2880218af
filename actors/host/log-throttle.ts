const MAX_REMEMBERED = 1_000;

/** Throttles repeated log lines per key; remembers at most 1,000 keys. */
export class LogThrottle {
  readonly #forMs: number;
  readonly #lastLogged = new Map<string, number>();

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  /** True when the key was last logged longer than `forMs` ago, or never. */
  isNews(key: string): boolean {
    const now = performance.now();
    const last = this.#lastLogged.get(key);
    if (last !== undefined && now - last < this.#forMs) return false;
    if (this.#lastLogged.size >= MAX_REMEMBERED) this.#lastLogged.clear();
    this.#lastLogged.set(key, now);
    return true;
  }
}
