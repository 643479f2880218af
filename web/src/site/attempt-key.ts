import { randomId } from "./random-id.ts";

/**
 * The key of a change that must not happen twice: the same for each try of the same request, until the service says that it
 * happened. After an answer that didn't come, or a 503, nobody knows; only another try with that key finds out. Refusals end no
 * key, since one by a limit says nothing of the tries before. They aren't kept by the service, so the next try is decided anew.
 */
export class AttemptKey {
  #request = "";
  #key = "";

  /** Sends `request` with its key. */
  async once<Answer>(request: object, send: (key: string) => Promise<Answer>): Promise<Answer> {
    const written = JSON.stringify(request);
    if (written !== this.#request) {
      this.#request = written;
      this.#key = randomId();
    }
    const key = this.#key;
    const answer = await send(key);
    if (key === this.#key) this.#request = "";
    return answer;
  }
}
