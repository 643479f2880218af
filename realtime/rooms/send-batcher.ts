/** A room that goes faster than this is gathered before it is sent anyway, so that nobody sees it. */
const GATHER_MS = 4;
const REMEMBERED = 10_000;

/**
 * Lets messages of one room through: one that comes alone at once, those that come faster together, so that they go to
 * Redis and come back with one wake-up instead of one each. In the order in which they came.
 */
export class SendBatcher {
  /** When each room was last let through, ms; the longest ago first. */
  readonly #last = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Resolves when it is this message's turn, at most a few milliseconds from now. */
  pass(streamId: string): Promise<void> | undefined {
    const waiting = this.#waiting.get(streamId);
    if (waiting) return new Promise((go) => void waiting.push(go));
    const now = performance.now();
    const rest = (this.#last.get(streamId) ?? 0) + GATHER_MS - now;
    if (rest <= 0) {
      this.#let(streamId, now);
      return undefined;
    }
    return new Promise((go) => {
      this.#waiting.set(streamId, [go]);
      setTimeout(() => this.#open(streamId), Math.ceil(rest));
    });
  }

  #open(streamId: string): void {
    const waiting = this.#waiting.get(streamId) ?? [];
    this.#waiting.delete(streamId);
    this.#let(streamId, performance.now());
    for (const go of waiting) go();
  }

  #let(streamId: string, now: number): void {
    this.#last.delete(streamId);
    const [oldest] = this.#last.keys();
    if (this.#last.size >= REMEMBERED && oldest !== undefined) this.#last.delete(oldest);
    this.#last.set(streamId, now);
  }
}
