/**
 * Iterates over keys that come and go, a few at a time, so that each that stays is visited once per round. A round has the
 * keys that were there when it began: an iterator over the map itself would go on to those added since, without end.
 */
export class RenewalRound<Key> {
  private readonly keys: ReadonlyMap<Key, unknown>;
  private readonly steps: number;
  private left: Key[] = [];
  private each = 0;

  /** `steps`: the number of calls in a round. */
  constructor(keys: ReadonlyMap<Key, unknown>, steps: number) {
    this.keys = keys;
    this.steps = steps;
  }

  /** The next keys that are still in the map. */
  next(): Key[] {
    if (this.left.length === 0) {
      this.left = [...this.keys.keys()];
      this.each = Math.ceil(this.left.length / this.steps);
    }
    return this.left.splice(-this.each, this.each).filter((key) => this.keys.has(key));
  }
}
