import { Worker } from "node:worker_threads";
import { ServiceError } from "../../../specs/contract/errors.ts";

/** How many may wait; each takes a quarter of a second at most. */
const MOST_WAITING = 40;
/** An estimate that takes longer is refused; of a thread that has its dictionaries something is wrong by then. */
const DEADLINE_MS = 10_000;
/** For those, half a second on an idle machine. */
const READY_WITHIN_MS = 120_000;

/** 0 (guessed at once) to 4, as of zxcvbn. Throws `unavailable`. */
export type Estimate = (password: string, ownWords: readonly string[]) => Promise<number>;

type Waiting = { resolve: (score: number) => void; reject: (err: unknown) => void; late: NodeJS.Timeout };

/**
 * Estimates in a thread of its own: a password that was made for it takes longer than the requests beside it may wait. There is
 * one a process: its dictionaries take 60 MB. One that still reads them isn't ended because somebody's time is up: the
 * next would begin from the start.
 */
export function createStrengthThread({
  file = new URL("./thread.mjs", import.meta.url),
  deadlineMs = DEADLINE_MS,
}: {
  file?: URL;
  deadlineMs?: number;
} = {}): {
  estimate: Estimate;
  /** Begins it before the first estimate. */
  start(): void;
} {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = null;
  let isReady = false;
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
    const begun = new Worker(file);
    isReady = false;
    const late = setTimeout(() => fail(begun, new Error("it didn't get ready")), READY_WITHIN_MS).unref();
    begun.on("message", (said: { isReady: true } | { id: number; score: number }) => {
      if ("id" in said) return settle(said.id, ({ resolve }) => resolve(said.score));
      isReady = true;
      clearTimeout(late);
    });
    begun.on("error", (err) => fail(begun, err));
    begun.on("exit", (code) => fail(begun, new Error(`the thread of passwords ended with ${code}`)));
    // Behind the listeners, which would keep the process alive again.
    begun.unref();
    return begun;
  }

  function refuseLate(id: number, asked: Worker): void {
    const cause = new Error("an estimate took too long");
    if (isReady) fail(asked, cause);
    else settle(id, ({ reject }) => reject(unavailable(cause)));
  }

  return {
    start() {
      thread ??= begin();
    },
    estimate(password, ownWords) {
      if (waiting.size >= MOST_WAITING) return Promise.reject(unavailable());
      thread ??= begin();
      const asked = thread;
      const id = ++ids;
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => refuseLate(id, asked), deadlineMs);
        waiting.set(id, { resolve, reject, late });
        asked.postMessage({ id, password, ownWords });
      });
    },
  };
}

const unavailable = (cause?: unknown) =>
  new ServiceError("unavailable", { retry_after_ms: 1_000 }, cause === undefined ? {} : { cause });

/** The one of this process. */
export const strength = createStrengthThread();
