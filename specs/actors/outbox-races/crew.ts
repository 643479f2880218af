import type { Child, startChild } from "../../stress/child.ts";
import { isReady } from "../../stress/child.ts";
import type { Input, Order } from "./messages.ts";
import { isRepeat } from "./messages.ts";

/** Publishers side by side. One that dies is replaced; what it left behind is the others' to tell. */
export class Crew {
  deaths = 0;
  repeats = 0;
  readonly #start: () => Child;
  readonly #members: Child[];
  #isOver = false;

  constructor(size: number, module: string, input: Input, start: typeof startChild) {
    this.#start = () =>
      start(module, input, (message) => {
        if (isRepeat(message)) this.repeats++;
      });
    this.#members = Array.from({ length: size }, () => this.#start());
    for (const place of this.#members.keys()) this.#watch(place);
  }

  ready(): Promise<unknown> {
    return Promise.all(this.#members.map((child) => child.next(isReady)));
  }

  /** Lost when that one is dying: its part is the relays' then, as with any process that dies. */
  tell(place: number, order: Order): void {
    this.#members[place % this.#members.length]?.send(order);
  }

  /** Kills one at once, whatever it is at. */
  kill(place: number): void {
    this.#members[place % this.#members.length]?.kill("SIGKILL");
  }

  leave(): void {
    this.#isOver = true;
  }

  #watch(place: number): void {
    void this.#members[place]?.ended.then(() => {
      if (this.#isOver) return;
      this.deaths++;
      this.#members[place] = this.#start();
      this.#watch(place);
    });
  }
}
