/** A FIFO queue that runs one task at a time. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    // Only the caller handles the outcome; the next task only waits for the end.
    this.#last = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }
}
