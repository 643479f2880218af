import { ControlledDelay, MAX_WAIT_MS, Overloaded, STANDING_WAIT_MS } from "../../base/controlled-delay.ts";
import type { Log } from "../../base/log.ts";
import { createOverloadLog } from "../../base/overload-log.ts";
import type { AdmissionStats } from "./metrics.ts";

/**
 * Messages of a worker that are checked and decided at once. Enough to keep worker and Redis busy, and few enough that a message
 * passes in less than a tenth of a second once it has its place, on a machine where each costs half a millisecond.
 */
const AT_ONCE = 96;
/** A burst is worked off within a second, or refused. */
const BURST_MS = 1_000;
/** A queue stands earlier when more came than was decided in each of so many periods: a burst is in one of them or two. */
const PERIOD_MS = 100;
const PERIODS = 3;
/** More are refused at once: a worker gets that many in a second when it decides about none. */
const MAX_WAITING = 20_000;

type Options = {
  log: Log;
  /** Monotonic, ms. */
  now?: () => number;
  atOnce?: number;
};

type Waiting = { arrivedAt: number; enqueuedAt: number; begin(): void; refuse(): void };

/** Made once, since under overload most of what a refusal costs would be its stack. */
const REFUSALS = Array.from({ length: 32 }, () => new Overloaded());

/** Made once for the same reason. */
const LATE_LOOKUP = new Error("MongoDB didn't answer within a second");

/** The refusal of a message that surely wasn't admitted, since the worker has more of them than it can decide about. */
export const overloaded = (): Overloaded =>
  REFUSALS[Math.floor(Math.random() * REFUSALS.length)] ?? new Overloaded();

/**
 * The messages of a worker that wait to be decided about, in their order. A bounded number is under way; the others wait, at most
 * for a second (docs/decisions/0115). By controlled delay a burst is absorbed, while a queue that stands is cut. Refusing costs about
 * a fifth of deciding, and most of that is the socket's.
 */
export function createAdmissionQueue({ log, now = () => performance.now(), atOnce = AT_ONCE }: Options) {
  const waiting = new Set<Waiting>();
  const overload = createOverloadLog(log, "admission of messages", now);
  const lookups = createOverloadLog(log, "look-ups of messages", now);
  const delay = new ControlledDelay(BURST_MS, now);
  let running = 0;
  let period = { from: now(), came: 0, decided: 0 };
  /** In how many periods, up to the last one, more came than was decided. */
  let growing = 0;
  let refused = 0;
  let lateLookups = 0;
  let isWatched = false;

  function noteRefusal(): void {
    refused++;
    overload.refused(overloaded());
  }

  /** The message's turn may have come, but what it needs to know didn't: it is the database that is slow, not this worker. */
  function noteLateLookup(): void {
    lateLookups++;
    lookups.refused(LATE_LOOKUP);
  }

  function noteServed(at: number): void {
    delay.served(waiting.size);
    lookups.served(at);
    overload.served(at);
  }

  /** Ends the period when its time is over. After a longer pause all that has gathered meanwhile counts as one burst. */
  function settlePeriod(at: number): void {
    const over = at - period.from;
    if (over < PERIOD_MS) return;
    growing = period.came <= period.decided ? 0 : over < 2 * PERIOD_MS ? growing + 1 : 1;
    period = { from: at, came: 0, decided: 0 };
  }

  const maxWaitMs = (): number => (growing >= PERIODS ? STANDING_WAIT_MS : delay.maxWaitMs);

  const isLate = ({ arrivedAt, enqueuedAt }: Waiting, at: number): boolean =>
    at - arrivedAt > MAX_WAIT_MS || at - enqueuedAt > maxWaitMs();

  /** Whether a message that comes now would surely wait too long: in a standing queue, the first has waited for half of that. */
  function isHopeless(at: number): boolean {
    if (waiting.size >= MAX_WAITING) return true;
    for (const first of waiting) {
      const mostMs = maxWaitMs();
      return mostMs < MAX_WAIT_MS && at - first.enqueuedAt > mostMs / 2;
    }
    return false;
  }

  /** Refuses what has waited too long, from the front on. */
  function refuseLate(at: number): void {
    for (const one of waiting) {
      if (!isLate(one, at)) return;
      waiting.delete(one);
      one.refuse();
    }
  }

  function leave(): void {
    running--;
    const at = now();
    period.decided++;
    settlePeriod(at);
    refuseLate(at);
    for (const next of waiting) {
      waiting.delete(next);
      running++;
      next.begin();
      break;
    }
    noteServed(at);
  }

  /** For the case that nothing leaves. */
  function watch(): void {
    if (isWatched) return;
    isWatched = true;
    setTimeout(() => {
      isWatched = false;
      refuseLate(now());
      if (waiting.size > 0) watch();
    }, STANDING_WAIT_MS).unref();
  }

  /** The refusal of a message that comes now, if its turn wouldn't come in time. */
  function refusal(): Overloaded | null {
    const at = now();
    if (!isHopeless(at)) return null;
    period.came++;
    settlePeriod(at);
    noteRefusal();
    return overloaded();
  }

  function enter(arrivedAt: number): Promise<void> | undefined {
    const at = now();
    period.came++;
    settlePeriod(at);
    if (at - arrivedAt > MAX_WAIT_MS || isHopeless(at)) {
      noteRefusal();
      throw overloaded();
    }
    if (running < atOnce && waiting.size === 0) {
      running++;
      noteServed(at);
      return undefined;
    }
    watch();
    return new Promise((begin, reject) => {
      const refuse = () => {
        noteRefusal();
        reject(overloaded());
      };
      waiting.add({ arrivedAt, enqueuedAt: at, begin, refuse });
    });
  }

  return {
    /** Runs `work` when it is the message's turn. Throws unavailable, without having run it, for a message that waited too long. */
    async run<T>(arrivedAt: number, work: () => Promise<T>): Promise<T> {
      await enter(arrivedAt);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    refusal,
    noteLateLookup,
    stats: (): AdmissionStats => ({ waiting: waiting.size, running, refused, lateLookups }),
  };
}

export type AdmissionQueue = ReturnType<typeof createAdmissionQueue>;
