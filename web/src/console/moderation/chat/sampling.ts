import { useEffect, useRef, useState } from "preact/hooks";
import type { Sampling } from "../../../chat/room.ts";

/** Far more than anybody reads; what costs a browser little. */
const MOST_A_SECOND = 200;
const SECOND_MS = 1_000;

/** Above some rate of messages, one of so many is shown: the rate of the last second decides about the next one. */
export class Sample implements Sampling {
  /** 1: all are shown. */
  oneOf = 1;
  readonly #now: () => number;
  #since = 0;
  #came = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  takes(): boolean {
    this.look();
    return this.#came++ % this.oneOf === 0;
  }

  /** Begins the next second, where one is over. */
  look(): void {
    const now = this.#now();
    const passed = now - this.#since;
    if (passed < SECOND_MS) return;
    const rate = passed < 2 * SECOND_MS ? (this.#came * SECOND_MS) / passed : 0;
    this.oneOf = Math.max(1, Math.ceil(rate / MOST_A_SECOND));
    this.#since = now;
    this.#came = 0;
  }
}

/** A sample for as long as the component is shown, and which part of the messages it takes. */
export function useSample(): { sample: Sample; oneOf: number } {
  const { current: sample } = useRef(new Sample());
  const [oneOf, setOneOf] = useState(1);
  useEffect(() => {
    const timer = setInterval(() => {
      sample.look();
      setOneOf(sample.oneOf);
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return { sample, oneOf };
}
