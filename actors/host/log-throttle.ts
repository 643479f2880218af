const MAX_REMEMBERED = 1_000;

/** Keeps a complaint about the same thing from being repeated with every request; remembers at most 1,000 things. */
export class LogThrottle {
  readonly #forMs: number;
  readonly #said = new Map<string, number>();

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  /** True the first time, and again when that was longer ago than `forMs`. */
  isNews(what: string): boolean {
    const now = performance.now();
    const before = this.#said.get(what);
    if (before !== undefined && now - before < this.#forMs) return false;
    if (this.#said.size >= MAX_REMEMBERED) this.#said.clear();
    this.#said.set(what, now);
    return true;
  }
}
