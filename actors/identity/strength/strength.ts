import { Worker } from "node:worker_threads";
import { ServiceError } from "../../../specs/contract/errors.ts";

/** How many may wait; each takes a quarter of a second at most. */
const MOST_WAITING = 40;
/** By then something is wrong with the thread; the first estimate waits for its dictionaries. */
const DEADLINE_MS = 10_000;

/** 0 (guessed at once) to 4, as of zxcvbn. Throws `unavailable`. */
export type Estimate = (password: string, ownWords: readonly string[]) => Promise<number>;

type Waiting = { resolve: (score: number) => void; reject: (err: unknown) => void; late: NodeJS.Timeout };

/**
 * Estimates in a thread of its own: a password that was made for it takes longer than the requests beside it may wait. It
 * begins with the first estimate, and there is one a process: its dictionaries take 60 MB.
 */
function createStrengthThread(): Estimate {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = null;
  let ids = 0;

  function settle(id: number, act: (one: Waiting) => void): void {
    const one = waiting.get(id);
    if (!one) return;
    clearTimeout(one.late);
    waiting.delete(id);
    act(one);
  }

  /** All that wait are refused; the next estimate begins another thread. */
  function fail(of: Worker, cause: unknown): void {
    if (thread !== of) return;
    thread = null;
    void of.terminate();
    for (const id of [...waiting.keys()]) settle(id, ({ reject }) => reject(unavailable(cause)));
  }

  function begin(): Worker {
    const begun = new Worker(new URL("./thread.mjs", import.meta.url));
    begun.unref();
    begun.on("message", ({ id, score }: { id: number; score: number }) =>
      settle(id, ({ resolve }) => resolve(score)),
    );
    begun.on("error", (err) => fail(begun, err));
    begun.on("exit", (code) => fail(begun, new Error(`the thread of passwords ended with ${code}`)));
    return begun;
  }

  return (password, ownWords) => {
    if (waiting.size >= MOST_WAITING) return Promise.reject(unavailable());
    thread ??= begin();
    const asked = thread;
    const id = ++ids;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => fail(asked, new Error("an estimate took too long")), DEADLINE_MS);
      waiting.set(id, { resolve, reject, late });
      asked.postMessage({ id, password, ownWords });
    });
  };
}

const unavailable = (cause?: unknown) =>
  new ServiceError("unavailable", { retry_after_ms: 1_000 }, cause === undefined ? {} : { cause });

/** The one of this process. */
export const strengthOf: Estimate = createStrengthThread();
