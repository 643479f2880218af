import type { BetDoc, Bets } from "../../store/mongo/bets.ts";

/** Predictions that this process settles at a time, at most; others just read when it is their turn. */
const MOST = 32;

/**
 * Reads the slips of a settling's next batch while this one is being written. Slips don't change once betting is over,
 * so what was read early is what would be read late, also when that write fails.
 */
export class SlipsAhead {
  readonly #read: Bets["after"];
  readonly #limit: number;
  readonly #begun = new Map<string, { cursor: string; slips: Promise<BetDoc[]> }>();

  constructor(read: Bets["after"], limit: number) {
    this.#read = read;
    this.#limit = limit;
  }

  begin(predictionId: string, cursor: string): void {
    if (this.#begun.size >= MOST && !this.#begun.has(predictionId)) return;
    const slips = this.#read(predictionId, cursor, this.#limit);
    // Whoever takes it hears of the failure; who never does has lost nothing.
    slips.catch(() => this.#forget(predictionId, slips));
    this.#begun.set(predictionId, { cursor, slips });
  }

  /** The slips after `cursor`, from the reading ahead when that is what was read. */
  take(predictionId: string, cursor: string): Promise<BetDoc[]> {
    const begun = this.#begun.get(predictionId);
    this.#begun.delete(predictionId);
    return begun?.cursor === cursor ? begun.slips : this.#read(predictionId, cursor, this.#limit);
  }

  #forget(predictionId: string, slips: Promise<BetDoc[]>): void {
    if (this.#begun.get(predictionId)?.slips === slips) this.#begun.delete(predictionId);
  }
}
