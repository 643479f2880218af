/** Ids per call of `remove`, at most. */
const BATCH_SIZE = 500;

/**
 * Deletes published rows in the background, in batches: ids added during one delete go into the next. A failed delete isn't
 * retried; the relay then publishes those rows again.
 */
export class BatchDeleter {
  readonly #remove: (ids: string[]) => Promise<void>;
  readonly #onFailure: (err: unknown) => void;
  #waiting: string[] = [];
  /** Counts all ids ever added, and those of them that were deleted or given up. */
  #added = 0;
  #done = 0;
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

  /** Resolves when all ids added before this call are deleted or given up; doesn't wait for ids added later. */
  async idle(): Promise<void> {
    const target = this.#added;
    while (this.#done < target && this.#running) await this.#running;
  }

  #next(): void {
    if (this.#waiting.length > 0) this.#running ??= this.#run(this.#waiting.splice(0, BATCH_SIZE));
  }

  async #run(ids: string[]): Promise<void> {
    try {
      await this.#remove(ids);
    } catch (err) {
      this.#onFailure(err);
    }
    this.#done += ids.length;
    this.#running = null;
    this.#next();
  }
}
