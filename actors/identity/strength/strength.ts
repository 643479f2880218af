import { Worker } from "node:worker_threads";
import { ServiceError } from "../../../specs/contract/errors.ts";

/** How many may wait in each line; each takes half a second at most on an idle machine. */
const MOST_WAITING = 20;
/** So long an estimate is waited for, its turn included. */
const DEADLINE_MS = 10_000;
/** Something is wrong with a thread that has its dictionaries and takes longer for one. */
const TURN_MS = 30_000;
/** For those dictionaries, half a second on an idle machine. */
const READY_WITHIN_MS = 120_000;

/**
 * 0 (guessed at once) to 4, as of zxcvbn. `place`: of an account, one at a time has it; without one it is for a new account.
 * Throws `unavailable`, and `rate_limited` where the place is taken.
 */
export type Estimate = (password: string, ownWords: readonly string[], place?: string) => Promise<number>;

type Waiting = {
  password: string;
  ownWords: readonly string[];
  place: string | undefined;
  resolve: (score: number) => void;
  reject: (err: unknown) => void;
  late: NodeJS.Timeout;
};

type FromThread = { isReady: true } | { score: number };

/**
 * Estimates in a thread of its own: a password that was made for it takes longer than the requests beside it may wait. There is
 * one a process: its dictionaries take 60 MB. It gets one password at a time, so that nothing is estimated for which nobody
 * waits any more, and isn't ended because somebody's time is up: the next would read the dictionaries again.
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
  /** Each in the order of their coming. Accounts, however many they are, don't fill what is left to new ones, nor the reverse. */
  const [accounts, newcomers]: [Waiting[], Waiting[]] = [[], []];
  /** Those whose turn was longest ago first. */
  const lines = [accounts, newcomers];
  const lineOf = (place: string | undefined) => (place === undefined ? newcomers : accounts);
  let thread: Worker | null = null;
  let isReady = false;
  /** What the thread has; null once nobody waits for it. */
  let turn: { of: Waiting | null; late: NodeJS.Timeout } | null = null;

  function next(): void {
    if (!thread || !isReady || turn) return;
    const line = lines.find(({ length }) => length > 0);
    const of = line?.shift();
    if (!line || !of) return;
    lines.push(...lines.splice(lines.indexOf(line), 1));
    const asked = thread;
    const late = setTimeout(() => fail(asked, new Error("an estimate took too long")), TURN_MS).unref();
    turn = { of, late };
    asked.postMessage({ password: of.password, ownWords: of.ownWords });
  }

  function endTurn(): Waiting | null {
    const of = turn?.of ?? null;
    clearTimeout(turn?.late);
    clearTimeout(of?.late);
    turn = null;
    return of;
  }

  /** All that wait are refused; the next estimate begins another thread. */
  function fail(which: Worker, cause: unknown): void {
    if (thread !== which) return;
    thread = null;
    void which.terminate();
    const refused = [endTurn(), ...lines.flatMap((line) => line.splice(0))];
    for (const one of refused) {
      clearTimeout(one?.late);
      one?.reject(unavailable(cause));
    }
  }

  function begin(): Worker {
    const begun = new Worker(file);
    isReady = false;
    const late = setTimeout(() => fail(begun, new Error("it didn't get ready")), READY_WITHIN_MS).unref();
    begun.on("message", (said: FromThread) => {
      if (thread !== begun) return;
      if ("score" in said) endTurn()?.resolve(said.score);
      else isReady = true;
      clearTimeout(late);
      next();
    });
    begun.on("error", (err) => fail(begun, err));
    begun.on("exit", (code) => fail(begun, new Error(`the thread of passwords ended with ${code}`)));
    // Behind the listeners, which would keep the process alive again.
    begun.unref();
    return begun;
  }

  function giveUp(one: Waiting): void {
    const line = lineOf(one.place);
    const at = line.indexOf(one);
    if (at >= 0) line.splice(at, 1);
    else if (turn?.of === one) turn.of = null;
    one.reject(unavailable(new Error("there was no estimate in time")));
  }

  const isTaken = (place: string): boolean => [turn?.of, ...accounts].some((one) => one?.place === place);

  return {
    start() {
      thread ??= begin();
    },
    estimate(password, ownWords, place) {
      if (place !== undefined && isTaken(place)) return Promise.reject(placeTaken());
      const line = lineOf(place);
      if (line.length >= MOST_WAITING) return Promise.reject(unavailable());
      thread ??= begin();
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => giveUp(one), deadlineMs);
        const one: Waiting = { password, ownWords, place, resolve, reject, late };
        line.push(one);
        next();
      });
    },
  };
}

const unavailable = (cause?: unknown) =>
  new ServiceError("unavailable", { retry_after_ms: 1_000 }, cause === undefined ? {} : { cause });

const placeTaken = () => new ServiceError("rate_limited", { bucket: "passwords", retry_after_ms: 1_000 });

/** The one of this process. */
export const strength = createStrengthThread();
