import { randomId } from "./random-id.ts";

/**
 * The key of a change that must not happen twice: the same for each try of the same request, until the service has answered.
 * Without an answer nobody knows whether it happened.
 */
export class AttemptKey {
  #request = "";
  #key = "";

  for(request: object): string {
    const written = JSON.stringify(request);
    if (written !== this.#request) {
      this.#request = written;
      this.#key = randomId();
    }
    return this.#key;
  }

  answered(): void {
    this.#request = "";
  }
}
