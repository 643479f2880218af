/** Turns that are under way at a time. */
const AT_ONCE = 16;
/** Sources in a queue. */
const MOST_WAITING = 1_000;

/** Publishes a bounded part of a source; true when it has more. Never rejects. */
type PublishTurn = (source: string) => Promise<boolean>;

/**
 * Sources whose rows are to be published, each a bounded turn at a time. Those that come for the first time and those
 * that come again (they have more, or failed before) stand in two queues that are served alternately: however many come
 * again and however much they have, a new one waits only for some turns.
 */
export class Turns {
  readonly #publishTurn: PublishTurn;
  readonly #first = new Set<string>();
  readonly #again = new Set<string>();
  readonly #underWay = new Map<string, Promise<void>>();
  #isAgainNext = false;
  #isStopped = false;

  constructor(publishTurn: PublishTurn) {
    this.#publishTurn = publishTurn;
  }

  /** True while no new ones should be added. */
  get isFull(): boolean {
    return this.#first.size >= MOST_WAITING;
  }

  /** Adds new sources, all that aren't there yet; returns how many those are. */
  add(sources: readonly string[]): number {
    const added = sources.filter((source) => !this.#has(source));
    for (const source of added) this.#first.add(source);
    this.#begin();
    return added.length;
  }

  /** Adds sources that come again, as many as there is room for; returns how many those are. */
  addAgain(sources: readonly string[]): number {
    const room = Math.max(0, MOST_WAITING - this.#again.size);
    const added = sources.filter((source) => !this.#has(source)).slice(0, room);
    for (const source of added) this.#again.add(source);
    this.#begin();
    return added.length;
  }

  /** Resolves when all that was added has been published, or has failed. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  /** Begins no further turn; resolves when those under way are over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.idle();
  }

  #has(source: string): boolean {
    return this.#first.has(source) || this.#again.has(source) || this.#underWay.has(source);
  }

  #begin(): void {
    while (this.#underWay.size < AT_ONCE && !this.#isStopped) {
      const source = this.#next();
      if (source === undefined) return;
      this.#underWay.set(source, this.#turn(source));
    }
  }

  #next(): string | undefined {
    const [one, other] = this.#isAgainNext ? [this.#again, this.#first] : [this.#first, this.#again];
    this.#isAgainNext = !this.#isAgainNext;
    const queue = one.size > 0 ? one : other;
    const [source] = queue;
    if (source !== undefined) queue.delete(source);
    return source;
  }

  async #turn(source: string): Promise<void> {
    const hasMore = await this.#publishTurn(source);
    this.#underWay.delete(source);
    // Without room it will be found once more, like a new one.
    if (hasMore && this.#again.size < MOST_WAITING) this.#again.add(source);
    this.#begin();
  }
}
