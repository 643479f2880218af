/**
 * Goes through keys that come and go, a few at a time, so that each that stays is met once a round. A round has the keys
 * that were there when it began: an iterator over the map itself would go on to those that came since, for ever.
 */
export class RenewalRound<Key> {
  private readonly keys: ReadonlyMap<Key, unknown>;
  private readonly steps: number;
  private left: Key[] = [];
  private each = 0;

  /** `steps`: in so many calls a round is over. */
  constructor(keys: ReadonlyMap<Key, unknown>, steps: number) {
    this.keys = keys;
    this.steps = steps;
  }

  /** The next ones that are still there. */
  next(): Key[] {
    if (this.left.length === 0) {
      this.left = [...this.keys.keys()];
      this.each = Math.ceil(this.left.length / this.steps);
    }
    return this.left.splice(-this.each, this.each).filter((key) => this.keys.has(key));
  }
}
