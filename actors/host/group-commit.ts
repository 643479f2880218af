type Waiting<Item, Result> = {
  item: Item;
  since: number;
  resolve(result: Result): void;
  reject(err: unknown): void;
};

export type GroupCommitOptions<Item, Result> = {
  /** Runs at a time; who comes while so many are under way waits and goes with the others that wait. */
  atOnce: number;
  /** Items in a run. */
  most: number;
  /** Those in a hurry share runs with each other alone, as they would cut the time of the others; without it nobody is. */
  isHurried?: (item: Item) => boolean;
  /** All of it happens or none; answers in the order of the items. */
  run(items: Item[]): Promise<Result[]>;
  /** Who couldn't be begun in that time, looked at when it could be, fails with `late`: nothing of it happened. */
  patienceMs: number;
  late(): Error;
  /** Where the items of a run of several that failed go one by one, outside its slots; null where runs have one item. */
  single: {
    commit: GroupCommit<Item, Result>;
    /** False after a failure that all items share, or after which it may have happened nevertheless: all fail with it. */
    isWorthTrying(err: unknown): boolean;
  } | null;
};

/**
 * Group commit: items that come alone run alone and at once, items that come faster than they run share runs. What one
 * of them fails for, the others don't, nor do they wait for it. Callers bound the number that waits.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;

  constructor(options: GroupCommitOptions<Item, Result>) {
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
      const group = this.#takeNext().filter((one) => !this.#isLate(one));
      if (group.length === 0) continue;
      this.#running++;
      void this.#run(group).finally(() => {
        this.#running--;
        this.#pump();
      });
    }
  }

  /** The first that waits, with those after it that may go with it. */
  #takeNext(): Waiting<Item, Result>[] {
    const { most, isHurried = () => false } = this.#options;
    const waiting = this.#waiting.map((one) => ({ one, hurried: isHurried(one.item) }));
    const group = waiting.filter(({ hurried }) => hurried === waiting[0]?.hurried).slice(0, most);
    const taken = new Set(group.map(({ one }) => one));
    this.#waiting = this.#waiting.filter((one) => !taken.has(one));
    return [...taken];
  }

  #isLate({ since, reject }: Waiting<Item, Result>): boolean {
    const isLate = performance.now() - since > this.#options.patienceMs;
    if (isLate) reject(this.#options.late());
    return isLate;
  }

  /** Never rejects. */
  async #run(group: Waiting<Item, Result>[]): Promise<void> {
    const { run, single } = this.#options;
    try {
      const results = await run(group.map(({ item }) => item));
      for (const [i, { resolve, reject }] of group.entries()) {
        const result = results[i];
        if (result === undefined) reject(new Error("a run left an item without a result"));
        else resolve(result);
      }
    } catch (err) {
      for (const { item, resolve, reject } of group) {
        if (group.length > 1 && single?.isWorthTrying(err)) single.commit.do(item).then(resolve, reject);
        else reject(err);
      }
    }
  }
}
