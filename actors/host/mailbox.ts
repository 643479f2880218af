import { ControlledDelay } from "../../base/controlled-delay.ts";

/** A few thousand bets at once are all served, in batches. */
const BURST_MS = 1_000;

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
  /** False for items that wait however long it takes, since nobody could repeat them. */
  mayBeRefused(item: Item): boolean;
  /** Answers an item that waited longer than ControlledDelay lets it: it isn't handled. */
  refuse(actor: string, item: Item): void;
};

type Waiting<Item> = { item: Item; since: number; late: NodeJS.Timeout | undefined };
type Mailbox<Item> = { waiting: Set<Waiting<Item>>; delay: ControlledDelay };

/** The mailboxes of this process. An actor has one only while something of it waits or runs. */
export class Mailboxes<Item> {
  readonly #options: MailboxOptions<Item>;
  readonly #mailboxes = new Map<string, Mailbox<Item>>();
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
    const known = this.#mailboxes.get(actor);
    if (known && known.waiting.size >= this.#options.capacity) return false;
    const mailbox = known ?? { waiting: new Set(), delay: new ControlledDelay(BURST_MS) };
    const waiting: Waiting<Item> = { item, since: performance.now(), late: undefined };
    if (this.#options.mayBeRefused(item)) {
      const refuse = () => {
        this.#take(mailbox, waiting);
        this.#options.refuse(actor, item);
      };
      waiting.late = setTimeout(refuse, mailbox.delay.maxWaitMs);
    }
    mailbox.waiting.add(waiting);
    this.#totalWaiting++;
    if (known) return true;
    this.#mailboxes.set(actor, mailbox);
    this.#ready.push(actor);
    this.#pump();
    return true;
  }

  /** The current number of actors with a mailbox, and of requests waiting in one. */
  depth(): { actors: number; requests: number } {
    return { actors: this.#mailboxes.size, requests: this.#totalWaiting };
  }

  /** Resolves when no item waits or runs. */
  async idle(): Promise<void> {
    if (this.#mailboxes.size === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    while (this.#running < this.#options.concurrency) {
      const actor = this.#ready.shift();
      if (actor === undefined) break;
      this.#running++;
      void this.#drain(actor);
    }
    if (this.#mailboxes.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Handles one batch; an actor with more goes to the end of the queue, so that a hot actor starves no other. */
  async #drain(actor: string): Promise<void> {
    // Defer by a microtask, so that callers of the same tick get into the first batch.
    await Promise.resolve();
    const mailbox = this.#mailboxes.get(actor);
    try {
      await this.#options.handle(actor, mailbox ? this.#nextBatch(actor, mailbox) : []);
    } finally {
      this.#running--;
      if (mailbox && mailbox.waiting.size > 0) this.#ready.push(actor);
      else this.#mailboxes.delete(actor);
      this.#pump();
    }
  }

  /** Refuses what has waited for too long only as far as newer items fill the batch: no capacity is lost. */
  #nextBatch(actor: string, mailbox: Mailbox<Item>): Item[] {
    const { batchSize, refuse } = this.#options;
    const { maxWaitMs } = mailbox.delay;
    const now = performance.now();
    const batch: Item[] = [];
    for (const waiting of mailbox.waiting) {
      if (batch.length >= batchSize) break;
      this.#take(mailbox, waiting);
      const { item, since, late } = waiting;
      const isOverdue = late !== undefined && now - since > maxWaitMs;
      if (isOverdue && batch.length + mailbox.waiting.size >= batchSize) refuse(actor, item);
      else batch.push(item);
    }
    mailbox.delay.served(mailbox.waiting.size);
    return batch;
  }

  #take({ waiting, delay }: Mailbox<Item>, one: Waiting<Item>): void {
    clearTimeout(one.late);
    waiting.delete(one);
    if (waiting.size === 0) delay.emptied();
    this.#totalWaiting--;
  }
}
