type Waiting<Item, Result> = {
  item: Item;
  since: number;
  resolve(result: Result): void;
  reject(err: unknown): void;
};

type GroupCommitOptions<Item, Result> = {
  /** Concurrent runs, at most; items that come while that many are in progress wait and share a later run. */
  concurrency: number;
  /** Items per run, at most. */
  maxBatch: number;
  /** Hurried items share runs only with each other, since they would cut the others' time. By default no item is hurried. */
  isHurried?: (item: Item) => boolean;
  /** Must be atomic, all items or none, or say in each result what became of its item. Returns them in the order of the items. */
  run(items: Item[]): Promise<Result[]>;
  /** An item that waited longer fails with `timeoutError` when its turn comes, with no effect. */
  maxWaitMs: number;
  timeoutError(): Error;
  /** Runs the items of a failed shared run one by one, outside these `concurrency` slots; null where they then fail together. */
  single: {
    commit: GroupCommit<Item, Result>;
    /** False when the failure concerns all items, or when the run may have happened nevertheless: then all items fail. */
    isWorthTrying(err: unknown): boolean;
  } | null;
};

/**
 * Group commit: an item that comes alone runs alone and at once; items that come faster than they run share runs. With `single`,
 * an item that fails neither fails nor delays the others. Callers must bound the number of waiting items.
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
    while (this.#waiting.length > 0 && this.#running < this.#options.concurrency) {
      const group = this.#takeNext().filter((waiting) => !this.#rejectIfTimedOut(waiting));
      if (group.length === 0) continue;
      this.#running++;
      void this.#run(group).finally(() => {
        this.#running--;
        this.#pump();
      });
    }
  }

  /** Takes the first waiting item and the later ones that may share its run. */
  #takeNext(): Waiting<Item, Result>[] {
    const { maxBatch, isHurried = () => false } = this.#options;
    const waiting = this.#waiting.map((entry) => ({ entry, hurried: isHurried(entry.item) }));
    const group = waiting.filter(({ hurried }) => hurried === waiting[0]?.hurried).slice(0, maxBatch);
    const taken = new Set(group.map(({ entry }) => entry));
    this.#waiting = this.#waiting.filter((entry) => !taken.has(entry));
    return [...taken];
  }

  #rejectIfTimedOut({ since, reject }: Waiting<Item, Result>): boolean {
    const isTimedOut = performance.now() - since > this.#options.maxWaitMs;
    if (isTimedOut) reject(this.#options.timeoutError());
    return isTimedOut;
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
