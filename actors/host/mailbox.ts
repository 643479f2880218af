/** Batches of one actor never overlap; those of different actors run together up to `concurrency`. */
export type MailboxOptions<Item> = {
  /** Waiting items an actor may have. */
  capacity: number;
  /** Waiting items of all actors together: what a process holds in memory is bounded, for any number of actors. */
  capacityOfAll: number;
  /** Items a batch may have. */
  batchSize: number;
  concurrency: number;
  /** Handles a batch; it answers every item itself and never rejects. */
  handle(actor: string, batch: Item[]): Promise<void>;
};

/** The mailboxes of this process: one for each actor that has something waiting, none for the others. */
export class Mailboxes<Item> {
  readonly #options: MailboxOptions<Item>;
  readonly #waiting = new Map<string, Item[]>();
  readonly #ready: string[] = [];
  readonly #idle: (() => void)[] = [];
  #running = 0;
  #waitingInAll = 0;

  constructor(options: MailboxOptions<Item>) {
    this.#options = options;
  }

  /** False when that actor's mailbox, or the process, is full. */
  post(actor: string, item: Item): boolean {
    if (this.#waitingInAll >= this.#options.capacityOfAll) return false;
    const waiting = this.#waiting.get(actor);
    if (waiting) {
      if (waiting.length >= this.#options.capacity) return false;
      waiting.push(item);
      this.#waitingInAll++;
      return true;
    }
    this.#waiting.set(actor, [item]);
    this.#waitingInAll++;
    this.#ready.push(actor);
    this.#pump();
    return true;
  }

  /** What there is right now: actors with a mailbox, and requests that wait in one. */
  depth(): { actors: number; requests: number } {
    return { actors: this.#waiting.size, requests: this.#waitingInAll };
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    if (this.#waiting.size === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    while (this.#running < this.#options.concurrency) {
      const actor = this.#ready.shift();
      if (actor === undefined) break;
      this.#running++;
      void this.#drain(actor);
    }
    if (this.#waiting.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** One batch a turn: an actor with more goes to the end of the line, so that a hot one starves nobody. */
  async #drain(actor: string): Promise<void> {
    // Callers of the same tick get into the first batch instead of making one of its own.
    await Promise.resolve();
    const batch = this.#waiting.get(actor)?.splice(0, this.#options.batchSize) ?? [];
    this.#waitingInAll -= batch.length;
    try {
      await this.#options.handle(actor, batch);
    } finally {
      this.#running--;
      if (this.#waiting.get(actor)?.length) this.#ready.push(actor);
      else this.#waiting.delete(actor);
      this.#pump();
    }
  }
}
