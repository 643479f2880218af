import { DAY_MS } from "../../../../base/durations.ts";
import { type Answer, refused } from "./answer.ts";

/** Stored answers by idempotency key, valid for a day; refusals aren't stored. */
export class AnsweredKeys {
  readonly #known = new Map<string, { request: string; answer: Answer; until: number }>();

  /** The stored answer under that name, if it was to the same request; otherwise decides now. */
  once(name: string, key: number | null, request: unknown, now: number, decide: () => Answer): Answer {
    if (key === null) return decide();
    const known = this.#known.get(name);
    if (known && known.until > now) {
      return known.request === JSON.stringify(request) ? known.answer : refused("idempotency_conflict");
    }
    const answer = decide();
    if (answer && "ok" in answer) {
      this.#known.set(name, { request: JSON.stringify(request), answer, until: now + DAY_MS });
    }
    return answer;
  }
}
