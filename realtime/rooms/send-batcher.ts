/** Events of a room that is faster than this are batched before delivery anyway, so that nobody notices the delay. */
const GATHER_MS = 4;
const MAX_ROOMS = 10_000;

/**
 * Batches messages of one room before they go to Redis: a single one passes at once, those that follow faster than that pass
 * together, so that a batch takes one wake-up instead of one for each. Keeps the order of arrival.
 */
export class SendBatcher {
  /** When each room's last batch passed, ms; the oldest first. */
  readonly #last = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Resolves when this message may go on, at most a few milliseconds from now; undefined: at once. */
  pass(streamId: string): Promise<void> | undefined {
    const waiting = this.#waiting.get(streamId);
    if (waiting) return new Promise((go) => void waiting.push(go));
    const now = performance.now();
    const waitMs = (this.#last.get(streamId) ?? 0) + GATHER_MS - now;
    if (waitMs <= 0) {
      this.#markPassed(streamId, now);
      return undefined;
    }
    return new Promise((go) => {
      this.#waiting.set(streamId, [go]);
      setTimeout(() => this.#release(streamId), Math.ceil(waitMs));
    });
  }

  #release(streamId: string): void {
    const waiting = this.#waiting.get(streamId) ?? [];
    this.#waiting.delete(streamId);
    this.#markPassed(streamId, performance.now());
    for (const go of waiting) go();
  }

  #markPassed(streamId: string, now: number): void {
    this.#last.delete(streamId);
    const [oldest] = this.#last.keys();
    if (this.#last.size >= MAX_ROOMS && oldest !== undefined) this.#last.delete(oldest);
    this.#last.set(streamId, now);
  }
}
