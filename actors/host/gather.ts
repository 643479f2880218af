type Waiting<Item, Result> = {
  item: Item;
  since: number;
  resolve(result: Result): void;
  reject(err: unknown): void;
};

export type GatherOptions<Item, Result> = {
  /** Runs at a time; who comes while so many are under way waits and goes with the others that wait. */
  atOnce: number;
  /** Items in a run. */
  most: number;
  /** All of it happens or none; answers in the order of the items. */
  run(items: Item[]): Promise<Result[]>;
  /** Whether after this failure it may have happened nevertheless. */
  isOpen(err: unknown): boolean;
  /** Who couldn't be begun in that time, looked at when it could be, fails with `late`: nothing of it happened. */
  patienceMs: number;
  late(): Error;
};

/**
 * Group commit: items that come alone run alone and at once, items that come faster than they run share runs. What one
 * of them fails for, the others don't: a run that failed for sure is done again one by one, until it isn't known of one
 * whether it happened; those after it fail like it. Callers bound the number that waits.
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
      this.#waiting.push({ item, since: performance.now(), resolve, reject });
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#running < this.#options.atOnce) {
      const group = this.#waiting.splice(0, this.#options.most).filter((one) => !this.#isLate(one));
      if (group.length === 0) continue;
      this.#running++;
      void this.#run(group).finally(() => {
        this.#running--;
        this.#pump();
      });
    }
  }

  #isLate({ since, reject }: Waiting<Item, Result>): boolean {
    const isLate = performance.now() - since > this.#options.patienceMs;
    if (isLate) reject(this.#options.late());
    return isLate;
  }

  /** Never rejects. */
  async #run(group: Waiting<Item, Result>[]): Promise<void> {
    let failure = await this.#try(group);
    const left = failure ? [...group] : [];
    while (failure && group.length > 1 && !this.#options.isOpen(failure.reason)) {
      const one = left.shift();
      if (!one) return;
      const again = await this.#try([one]);
      if (again) one.reject(again.reason);
      failure = again ?? failure;
    }
    for (const { reject } of left) reject(failure?.reason);
  }

  /** Null when they have their results. */
  async #try(group: Waiting<Item, Result>[]): Promise<{ reason: unknown } | null> {
    try {
      const results = await this.#options.run(group.map(({ item }) => item));
      for (const [i, { resolve, reject }] of group.entries()) {
        const result = results[i];
        if (result === undefined) reject(new Error("a run left an item without a result"));
        else resolve(result);
      }
      return null;
    } catch (reason) {
      return { reason };
    }
  }
}
