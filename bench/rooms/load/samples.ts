import { percentile } from "../../figures.ts";

const MOST = 500_000;

/** Every so manieth of many values, so that looking at the clock costs little. */
export class Samples {
  private values: number[] = [];
  private left = 1;
  private readonly every: number;

  constructor(every: number) {
    this.every = every;
  }

  /** Whether the next value is to be added. */
  isDue(): boolean {
    if (--this.left > 0) return false;
    this.left = this.every;
    return true;
  }

  add(value: number): void {
    if (this.values.length < MOST) this.values.push(value);
  }

  clear(): void {
    this.values = [];
  }

  quantiles(): { p50: number; p99: number } {
    return { p50: percentile(this.values, 0.5), p99: percentile(this.values, 0.99) };
  }
}
