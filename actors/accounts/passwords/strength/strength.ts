import { Worker } from "node:worker_threads";
import { ServiceError, unavailable } from "../../../../contract/errors.ts";

/** Waiting estimates per queue, at most; each takes half a second at most on an idle machine. */
const MAX_WAITING = 20;
/** How long a caller waits for an estimate, queueing included. */
const DEADLINE_MS = 10_000;
/** A thread that has loaded its dictionaries and takes longer than this for one estimate is replaced. */
const TURN_MS = 30_000;
/** Time for loading the dictionaries, which takes half a second on an idle machine. */
const READY_WITHIN_MS = 120_000;

/** Of a password that is only looked at while it is typed. */
export const SIGN_UP_CHECK = Symbol("sign-up check");
/** Names an operation on an existing account, with one estimate at a time. */
export type Place = string | typeof SIGN_UP_CHECK;

/**
 * Returns zxcvbn's score, 0 (guessed at once) to 4. `place` is omitted for a new account. Throws `unavailable`, and `rate_limited` when the place is taken.
 */
export type Estimate = (password: string, ownWords: readonly string[], place?: Place) => Promise<number>;

type Waiting = {
  password: string;
  ownWords: readonly string[];
  place: Place | undefined;
  resolve: (score: number) => void;
  reject: (err: unknown) => void;
  late: NodeJS.Timeout;
};

type FromThread = { isReady: true } | { score: number };

/**
 * Estimates strength in a worker thread, since a malicious password could block the event loop for too long. There is one
 * thread per process, because its dictionaries take 60 MB. It gets one password at a time, so that abandoned estimates aren't
 * computed. It isn't terminated when a caller times out, since the next thread would have to load the dictionaries again.
 */
export function createStrengthThread({
  file = new URL("./thread.mjs", import.meta.url),
  deadlineMs = DEADLINE_MS,
}: {
  file?: URL;
  deadlineMs?: number;
} = {}): {
  estimate: Estimate;
  /** Starts the thread before the first estimate. */
  start(): void;
} {
  /**
   * FIFO queues. Separate ones, so that existing accounts can't use up the capacity for new ones, nor vice versa, nor what is only
   * looked at that of either.
   */
  const [accounts, newcomers, checks]: [Waiting[], Waiting[], Waiting[]] = [[], [], []];
  /** Round robin: the queue served longest ago comes first. */
  const queues = [accounts, newcomers, checks];
  const queueOf = (place: Place | undefined) => {
    if (place === undefined) return newcomers;
    return place === SIGN_UP_CHECK ? checks : accounts;
  };
  let thread: Worker | null = null;
  let isReady = false;
  /** The estimate that the thread is working on; `of` is null once its caller has given up. */
  let turn: { of: Waiting | null; late: NodeJS.Timeout } | null = null;

  function next(): void {
    if (!thread || !isReady || turn) return;
    const queue = queues.find(({ length }) => length > 0);
    const of = queue?.shift();
    if (!queue || !of) return;
    queues.push(...queues.splice(queues.indexOf(queue), 1));
    const worker = thread;
    const late = setTimeout(() => fail(worker, new Error("an estimate took too long")), TURN_MS).unref();
    turn = { of, late };
    worker.postMessage({ password: of.password, ownWords: of.ownWords });
  }

  function endTurn(): Waiting | null {
    const of = turn?.of ?? null;
    clearTimeout(turn?.late);
    clearTimeout(of?.late);
    turn = null;
    return of;
  }

  /** Rejects all waiting estimates; the next estimate starts another thread. */
  function fail(worker: Worker, cause: unknown): void {
    if (thread !== worker) return;
    thread = null;
    void worker.terminate();
    const rejected = [endTurn(), ...queues.flatMap((queue) => queue.splice(0))];
    for (const one of rejected) {
      clearTimeout(one?.late);
      one?.reject(unavailable({ cause }));
    }
  }

  function startThread(): Worker {
    const worker = new Worker(file);
    isReady = false;
    const late = setTimeout(() => fail(worker, new Error("it didn't get ready")), READY_WITHIN_MS).unref();
    worker.on("message", (message: FromThread) => {
      if (thread !== worker) return;
      if ("score" in message) endTurn()?.resolve(message.score);
      else isReady = true;
      clearTimeout(late);
      next();
    });
    worker.on("error", (err) => fail(worker, err));
    worker.on("exit", (code) => fail(worker, new Error(`the thread of passwords ended with ${code}`)));
    // After adding the listeners, which would ref it again and keep the process alive.
    worker.unref();
    return worker;
  }

  function giveUp(one: Waiting): void {
    const queue = queueOf(one.place);
    const at = queue.indexOf(one);
    if (at >= 0) queue.splice(at, 1);
    else if (turn?.of === one) turn.of = null;
    one.reject(unavailable({ cause: new Error("there was no estimate in time") }));
  }

  const isTaken = (place: string): boolean => [turn?.of, ...accounts].some((one) => one?.place === place);

  return {
    start() {
      thread ??= startThread();
    },
    estimate(password, ownWords, place) {
      if (typeof place === "string" && isTaken(place)) return Promise.reject(placeTaken());
      const queue = queueOf(place);
      if (queue.length >= MAX_WAITING) return Promise.reject(unavailable());
      thread ??= startThread();
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => giveUp(one), deadlineMs);
        const one: Waiting = { password, ownWords, place, resolve, reject, late };
        queue.push(one);
        next();
      });
    },
  };
}

const placeTaken = () => new ServiceError("rate_limited", { bucket: "passwords", retry_after_ms: 1_000 });

/** This process's instance. */
export const strength = createStrengthThread();
