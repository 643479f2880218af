import { UnreadableSnapshot } from "../../actors/host/envelope.ts";
import type { Host } from "../../actors/host/host.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { isMongoAway } from "../../store/mongo/failures.ts";
import { type TimerDoc, timersIn } from "../../store/mongo/timers.ts";
import { repeat } from "../repeat.ts";

/** Timers in hand at a time: enough to keep the host busy, few enough to be fired well within their lease. */
const HAND = 128;
/** A sweeper that dies with timers in hand loses them to the others after this; one that lives renews its lease. */
const LEASE_MS = 4_000;
const RENEW_MS = 500;
/** A timer that couldn't be fired is tried again after this. */
const AGAIN_MS = 1_000;
/** One that this code can't fire at all is tried ever more rarely, down to this. */
const UNFIT_AGAIN_MS = 60_000;

type Deps = { host: Pick<Host, "fire">; mongo: Mongo; clock: Clock; log: Log; intervalMs?: number };

export type TimerSweeper = ReturnType<typeof createTimerSweeper>;

/**
 * The one thing that fires timers: takes what is due, with a lease, and fires it at its actor, whose commit removes
 * the row. A timer whose lease runs out while it is being fired is fired twice at most, and the second is stale.
 */
export function createTimerSweeper({ host, mongo, clock, log }: Deps) {
  const timers = timersIn(mongo.db);

  const holder = newId();
  const inHand = new Map<string, Promise<void>>();

  async function fire(timer: TimerDoc): Promise<void> {
    try {
      const result = await host.fire(timer);
      log.debug({ actor: timer.actor, timer: timer.timerId, result }, "a timer fired");
    } catch (err) {
      const about = { err, actor: timer.actor, timer: timer.timerId };
      // A parked actor has an alert of its own.
      if (mendsByItself(err) || err instanceof UnreadableSnapshot)
        log.warn(about, "a timer could not be fired yet");
      else log.error(about, "a timer's event fails");
      await release(timer, err);
    }
  }

  async function release(timer: TimerDoc, reason: unknown): Promise<void> {
    const now = clock.now();
    const again = new Date(now + againAfter(reason, now - timer.dueAt.getTime()));
    try {
      await timers.release(timer._id, holder, again);
    } catch (err) {
      log.debug({ err, timer: timer._id }, "a timer could not be given back; its lease will run out");
    }
  }

  /** Takes what is due, at most what there is room for, and begins to fire it. */
  async function take(): Promise<{ taken: number; more: boolean }> {
    const room = HAND - inHand.size;
    const now = clock.now();
    const due = await timers.claimDue(new Date(now), new Date(now + LEASE_MS), holder, room);
    // Two sweeps of one process have the same holder: what one has in hand the other leaves.
    const fresh = due.filter((timer) => !inHand.has(timer._id));
    for (const timer of fresh) {
      const firing = fire(timer).finally(() => inHand.delete(timer._id));
      inHand.set(timer._id, firing);
    }
    return { taken: fresh.length, more: due.length === room };
  }

  /** Begins to fire all that is due now, whatever is still under way; returns how many there were. */
  async function sweep(): Promise<number> {
    for (let fired = 0; ; ) {
      while (inHand.size > HAND / 2) await Promise.race(inHand.values());
      const { taken, more } = await take();
      fired += taken;
      if (!more) return fired;
    }
  }

  const idle = async () => void (await Promise.all(inHand.values()));

  return {
    sweep,
    /** Keeps what is still being fired from the others. */
    async renew(): Promise<void> {
      if (inHand.size > 0) await timers.renew([...inHand.keys()], holder, new Date(clock.now() + LEASE_MS));
    },
    /** Resolves when what was begun before is fired or given back. */
    idle,
    /** Fires all that is due now; returns how many there were. */
    async tick(): Promise<number> {
      const fired = await sweep();
      await idle();
      return fired;
    },
  };
}

const mendsByItself = (err: unknown): boolean => err instanceof ServiceError || isMongoAway(err);

/**
 * A store that is away or a full mailbox mends by itself, soon. A parked actor, a machine that isn't known here or a bug
 * in it waits for other code, maybe for hours: waiting as long as the timer is late doubles the wait each time.
 */
function againAfter(err: unknown, lateMs: number): number {
  return mendsByItself(err) ? AGAIN_MS : Math.min(Math.max(lateMs, AGAIN_MS), UNFIT_AGAIN_MS);
}

/**
 * Sweeps every `intervalMs` (250) until stopped; stopping waits for what is being fired. A sweep waits for no timer: one
 * whose actor answers slowly would hold up all the others.
 */
export function startTimerSweeper(deps: Deps) {
  const { sweep, renew, tick, idle } = createTimerSweeper(deps);
  const sweeping = repeat("timers", sweep, deps.intervalMs ?? 250, deps.log);
  const renewing = repeat("timer leases", renew, RENEW_MS, deps.log);
  return {
    tick,
    async stop(): Promise<void> {
      await sweeping.stop();
      await idle();
      await renewing.stop();
    },
  };
}
