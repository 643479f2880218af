/** Far more than anybody reads; what costs a browser little. */
const MOST_A_SECOND = 200;
/** A second with a few more isn't a flood yet. */
const FLOOD_A_SECOND = 250;
/** A flood may mean the reader, too: anybody can write their name. */
const MOST_MEANT_A_SECOND = 20;
export const SECOND_MS = 1_000;

/**
 * "wanted": always shown. "meant": somebody else means the reader. "late": came again after a lost connection, all at once, and says
 * nothing about the chat's rate.
 */
export type Kind = "usual" | "wanted" | "meant" | "late";

/** Above some rate of messages, one of so many is shown: the rate of the last second decides about the next one. */
export class Sample {
  /** 1: all are shown. */
  oneOf = 1;
  readonly #now: () => number;
  #since = 0;
  #came = 0;
  #late = 0;
  #meant = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  takes(kind: Kind): boolean {
    this.look();
    const place = kind === "late" ? this.#late++ : this.#came++;
    const isMeant = kind === "meant" && this.#meant++ < MOST_MEANT_A_SECOND;
    return kind === "wanted" || isMeant || place % this.oneOf === 0;
  }

  /** Begins the next second, where one is over. */
  look(): void {
    const now = this.#now();
    const passed = now - this.#since;
    if (passed < SECOND_MS) return;
    const rate = passed < 2 * SECOND_MS ? (this.#came * SECOND_MS) / passed : 0;
    this.oneOf = rate > FLOOD_A_SECOND ? Math.ceil(rate / MOST_A_SECOND) : 1;
    this.#since = now;
    this.#came = 0;
    this.#meant = 0;
  }
}
