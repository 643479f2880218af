/** Ids that one call removes at most. */
const AT_ONCE = 500;

/**
 * Removes what was told, in the background: what gathers while one removal is under way goes with the next. A removal
 * that fails is dropped; those rows are then told again by the relay.
 */
export class Removals {
  readonly #remove: (ids: string[]) => Promise<void>;
  readonly #onFailure: (err: unknown) => void;
  #waiting: string[] = [];
  #running: Promise<void> | null = null;

  constructor(remove: (ids: string[]) => Promise<void>, onFailure: (err: unknown) => void) {
    this.#remove = remove;
    this.#onFailure = onFailure;
  }

  add(ids: string[]): void {
    if (ids.length === 0) return;
    this.#waiting.push(...ids);
    this.#running ??= this.#run();
  }

  /** Resolves when what was added before is gone, or was given up. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#remove(this.#waiting.splice(0, AT_ONCE));
    } catch (err) {
      this.#waiting = [];
      this.#onFailure(err);
    } finally {
      this.#running = null;
    }
  }
}
