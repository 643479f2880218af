/** One after the other, in the order in which they came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    // How it ended is for whoever asked for it; the next one only has to know that it did.
    this.#last = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }
}
