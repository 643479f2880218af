/** Longer than the retries of one batch. */
const CONTENDED_MS = 10_000;
const MAX_ACTORS = 1_000;

/**
 * Actors whose transactions met locks of others within the last 10 s, at most 1,000. In a shared transaction such an actor
 * would repeatedly fail all the others.
 */
export class ContendedActors {
  readonly #until = new Map<string, number>();

  has(actor: string): boolean {
    const until = this.#until.get(actor);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.#until.delete(actor);
    return false;
  }

  add(actor: string): void {
    this.#until.delete(actor);
    this.#until.set(actor, performance.now() + CONTENDED_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MAX_ACTORS && oldest !== undefined) this.#until.delete(oldest);
  }
}
