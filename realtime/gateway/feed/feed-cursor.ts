import type { Position } from "../../../base/room-position.ts";

const MAX_PAST = 16;

/**
 * A feed's position, and the epochs that it has left. The numbers of epochs don't tell which is newer: after a loss of data
 * the clock of Redis may be behind, so that a new epoch may have a lower number than its predecessor.
 */
export class FeedCursor {
  /** Incremented whenever the position changes. */
  moves = 0;
  #head: Position = { epoch: 0, seq: 0 };
  readonly #past = new Set<number>();

  get head(): Position {
    return this.#head;
  }

  /** Moves within the epoch or to another one. */
  move({ epoch, seq }: Position): void {
    if (epoch !== this.#head.epoch) this.leave(this.#head.epoch);
    this.#past.delete(epoch);
    this.#head = { epoch, seq };
    this.moves++;
  }

  /** Marks an epoch as over: no more of its events will come. */
  leave(epoch: number): void {
    this.#past.add(epoch);
    const [oldest] = this.#past;
    if (this.#past.size > MAX_PAST && oldest !== undefined) this.#past.delete(oldest);
  }

  isOver(epoch: number): boolean {
    return this.#past.has(epoch);
  }

  /** Whether the feed is in that epoch or has left it; true for null. */
  hasReached(epoch: number | null): boolean {
    return epoch === null || epoch === this.#head.epoch || this.isOver(epoch);
  }

  isSeen({ epoch, seq }: Position): boolean {
    return epoch === this.#head.epoch ? seq <= this.#head.seq : this.#past.has(epoch);
  }

  isNext({ epoch, seq }: Position): boolean {
    return epoch === this.#head.epoch && seq === this.#head.seq + 1;
  }
}
