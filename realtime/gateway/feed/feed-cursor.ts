import type { Position } from "../../../store/room-position.ts";

const MAX_PAST = 16;

/**
 * Where a feed stands, and which epochs it has left. Numbers of epochs don't say which is newer: after a loss of data
 * the clock of Redis may be behind, and a new epoch below the one before.
 */
export class FeedCursor {
  /** Rises whenever the position changes. */
  moves = 0;
  #head: Position = { epoch: 0, seq: 0 };
  readonly #past = new Set<number>();

  get head(): Position {
    return this.#head;
  }

  /** Within the epoch, or to a new one. */
  move({ epoch, seq }: Position): void {
    if (epoch !== this.#head.epoch) this.leave(this.#head.epoch);
    this.#past.delete(epoch);
    this.#head = { epoch, seq };
    this.moves++;
  }

  /** Nothing of that epoch is still to come. */
  leave(epoch: number): void {
    this.#past.add(epoch);
    const [oldest] = this.#past;
    if (this.#past.size > MAX_PAST && oldest !== undefined) this.#past.delete(oldest);
  }

  isOver(epoch: number): boolean {
    return this.#past.has(epoch);
  }

  /** Whether the room is in that epoch, or has left it; true for null. */
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
