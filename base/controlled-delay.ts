import { ServiceError } from "../contract/errors.ts";

/** The longest wait in a queue of requests, ms. */
export const MAX_WAIT_MS = 1_000;
/** The same in a queue that stands. */
export const STANDING_WAIT_MS = 100;

/**
 * How long requests may wait in a queue, by controlled delay (CoDel, with fixed times): a second, so that a burst, or a store that
 * hesitates, costs nobody an error. A queue that is served and yet doesn't get empty has more than can be served, and would only add
 * its length to every answer: what waited there for 100 ms is refused, so that what is served stays fast. When nothing is served for as
 * long as a burst may take, it is the store that hesitates, whether or not the queue stood before.
 */
export class ControlledDelay {
  readonly #burstMs: number;
  readonly #now: () => number;
  #standingSince: number | null = null;
  #servedAt = Number.NEGATIVE_INFINITY;

  /** `burstMs`: how long serving a burst may take before the queue counts as standing. `now`: monotonic, ms. */
  constructor(burstMs: number, now: () => number = () => performance.now()) {
    this.#burstMs = burstMs;
    this.#now = now;
  }

  /** Some were served, and that many still wait. */
  served(waiting: number): void {
    const isStalled = this.#isStalled;
    this.#servedAt = this.#now();
    if (waiting === 0) this.emptied();
    else if (isStalled) this.#standingSince = this.#servedAt;
    else this.#standingSince ??= this.#servedAt;
  }

  /** Also to be called when refusals, or requests that leave, empty the queue. */
  emptied(): void {
    this.#standingSince = null;
  }

  get maxWaitMs(): number {
    const isStanding = this.#standingSince !== null && this.#now() - this.#standingSince > this.#burstMs;
    return isStanding && !this.#isStalled ? STANDING_WAIT_MS : MAX_WAIT_MS;
  }

  get #isStalled(): boolean {
    return this.#now() - this.#servedAt > this.#burstMs;
  }
}

/**
 * The refusal of a request that waited too long, or found a full queue: nothing of it was begun. Refusing must cost little, so
 * these are neither counted against an address nor logged one by one.
 */
export class Overloaded extends ServiceError {
  constructor() {
    // Spread, so that what was refused together doesn't come back together.
    const retryAfterMs = Math.round(1_000 + Math.random() * 2_000);
    const message = "The service has more requests than it can serve right now. Try again.";
    super("unavailable", { retry_after_ms: retryAfterMs }, { message });
  }
}
