/** Batches of one actor never overlap; up to `concurrency` batches of different actors run at the same time. */
type MailboxOptions<Item> = {
  /** Waiting items per actor, at most. */
  capacity: number;
  /** Waiting items of all actors together, at most; bounds the memory of the process for any number of actors. */
  capacityOfAll: number;
  /** Items per batch, at most. */
  batchSize: number;
  concurrency: number;
  /** Handles a batch; it answers every item itself and never rejects. */
  handle(actor: string, batch: Item[]): Promise<void>;
};

/** The mailboxes of this process. An actor has one only while something of it waits or runs. */
export class Mailboxes<Item> {
  readonly #options: MailboxOptions<Item>;
  readonly #waiting = new Map<string, Item[]>();
  readonly #ready: string[] = [];
  readonly #idle: (() => void)[] = [];
  #running = 0;
  #totalWaiting = 0;

  constructor(options: MailboxOptions<Item>) {
    this.#options = options;
  }

  /** False when that actor's mailbox is full, or when the process's total capacity is reached. */
  post(actor: string, item: Item): boolean {
    if (this.#totalWaiting >= this.#options.capacityOfAll) return false;
    const waiting = this.#waiting.get(actor);
    if (waiting) {
      if (waiting.length >= this.#options.capacity) return false;
      waiting.push(item);
      this.#totalWaiting++;
      return true;
    }
    this.#waiting.set(actor, [item]);
    this.#totalWaiting++;
    this.#ready.push(actor);
    this.#pump();
    return true;
  }

  /** The current number of actors with a mailbox, and of requests waiting in one. */
  depth(): { actors: number; requests: number } {
    return { actors: this.#waiting.size, requests: this.#totalWaiting };
  }

  /** Resolves when no item waits or runs. */
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

  /** Handles one batch; an actor with more goes to the end of the queue, so that a hot actor starves no other. */
  async #drain(actor: string): Promise<void> {
    // Defer by a microtask, so that callers of the same tick get into the first batch.
    await Promise.resolve();
    const batch = this.#waiting.get(actor)?.splice(0, this.#options.batchSize) ?? [];
    this.#totalWaiting -= batch.length;
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
