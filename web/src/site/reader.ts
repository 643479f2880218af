import { retryWait } from "./retry-wait.ts";
import { loadMe, me } from "./session.ts";

const FIRST_WAIT_MS = 5_000;

/** Asks at once, while an answer is waited for. */
let askNow: (() => void) | null = null;

/**
 * Asks who is signed in. Where the service doesn't say, the page is a stranger's until it does: it is asked after a while, when the
 * network is back, and at the next page (`findReaderAgain`).
 */
export function findReader(refusals = 0): void {
  loadMe().catch(() => {
    if (me.peek() === undefined) me.value = null;
    const again = (): void => {
      clearTimeout(timer);
      removeEventListener("online", again);
      askNow = null;
      // Not if somebody has signed in since.
      if (me.peek() === null) findReader(refusals + 1);
    };
    const timer = setTimeout(again, retryWait(refusals, FIRST_WAIT_MS));
    addEventListener("online", again);
    askNow = again;
  });
}

export const findReaderAgain = (): void => askNow?.();
