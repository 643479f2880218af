type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(err: unknown): void };

export type GatherOptions<Item, Result> = {
  /** Runs at a time; who comes while so many are under way waits and goes with the others that wait. */
  atOnce: number;
  /** Items in a run. */
  most: number;
  /** All of it happens or none; answers in the order of the items. */
  run(items: Item[]): Promise<Result[]>;
  /** Whether after this failure it may have happened nevertheless. */
  isOpen(err: unknown): boolean;
};

/**
 * Group commit: items that come alone run alone and at once, items that come faster than they run share runs. What one
 * of them fails for, the others don't: a run that failed for sure is done again one by one. Callers bound the number
 * that waits.
 */
export class Gather<Item, Result> {
  readonly #options: GatherOptions<Item, Result>;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #running = 0;

  constructor(options: GatherOptions<Item, Result>) {
    this.#options = options;
  }

  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#running < this.#options.atOnce) {
      this.#running++;
      void this.#run(this.#waiting.splice(0, this.#options.most)).finally(() => {
        this.#running--;
        this.#pump();
      });
    }
  }

  /** Never rejects. */
  async #run(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(group.map(({ item }) => item));
      for (const [i, { resolve, reject }] of group.entries()) {
        const result = results[i];
        if (result === undefined) reject(new Error("a run left an item without a result"));
        else resolve(result);
      }
    } catch (err) {
      if (group.length > 1 && !this.#options.isOpen(err)) for (const one of group) await this.#run([one]);
      else for (const { reject } of group) reject(err);
    }
  }
}
