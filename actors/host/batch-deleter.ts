/** Ids that one call removes at most. */
const AT_ONCE = 500;

/**
 * Removes what was published, in the background: what gathers while one removal is under way goes with the next. A removal
 * that fails is dropped; those rows are then published again by the relay.
 */
export class BatchDeleter {
  readonly #remove: (ids: string[]) => Promise<void>;
  readonly #onFailure: (err: unknown) => void;
  #waiting: string[] = [];
  /** Ids that were ever added, and those of them that are gone or given up. */
  #added = 0;
  #over = 0;
  #running: Promise<void> | null = null;

  constructor(remove: (ids: string[]) => Promise<void>, onFailure: (err: unknown) => void) {
    this.#remove = remove;
    this.#onFailure = onFailure;
  }

  add(ids: string[]): void {
    this.#added += ids.length;
    this.#waiting.push(...ids);
    this.#next();
  }

  /** Resolves when what was added before is gone, or was given up; what others go on adding isn't waited for. */
  async idle(): Promise<void> {
    const until = this.#added;
    while (this.#over < until && this.#running) await this.#running;
  }

  #next(): void {
    if (this.#waiting.length > 0) this.#running ??= this.#run(this.#waiting.splice(0, AT_ONCE));
  }

  async #run(ids: string[]): Promise<void> {
    try {
      await this.#remove(ids);
    } catch (err) {
      this.#onFailure(err);
    }
    this.#over += ids.length;
    this.#running = null;
    this.#next();
  }
}
