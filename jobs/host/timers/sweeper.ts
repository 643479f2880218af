import { setTimeout as pause } from "node:timers/promises";
import type { Host } from "../../../actors/host/host.ts";
import { UnreadableSnapshot } from "../../../actors/host/snapshot-codec.ts";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { isUnavailable } from "../../../base/failures/unavailable.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { timerHoldersIn } from "../../../store/mongo/host/timer-holders.ts";
import { type TimerDoc, timersIn } from "../../../store/mongo/host/timers.ts";
import { repeat } from "../../tasks/repeat.ts";

/** Timers fired concurrently: enough to keep the host busy, few enough to be fired soon. */
const CONCURRENCY = 128;
/**
 * A timer that takes longer, because its actor is locked, no longer counts towards CONCURRENCY; MAX_FIRING bounds all of
 * them.
 */
const QUICK_MS = 1_000;
const MAX_FIRING = 1_024;
/** The leases of a sweeper without a heartbeat for this long go to the others. */
const DEAD_AFTER_MS = 5_000;
const HEARTBEAT_MS = 1_000;
/** Longer than any firing takes; only matters when no other sweeper checks heartbeats. */
const LEASE_MS = MINUTE_MS;
/** A timer that couldn't be fired is retried after this. */
const RETRY_MS = 1_000;
/** Maximum back-off of a timer that this code can't fire at all. */
const MAX_RETRY_MS = MINUTE_MS;

type Deps = { host: Pick<Host, "fire">; mongo: Mongo; clock: Clock; log: Log; intervalMs?: number };

/**
 * The only component that fires timers: claims what is due, with a lease, and fires it at its actor, whose commit removes
 * the row. While a timer is being fired nothing else writes its row, or that commit would conflict: heartbeats are in a
 * collection of their own. A timer whose lease is taken over while it is being fired fires twice at most, and the second
 * firing is stale.
 */
export function createTimerSweeper({ host, mongo, clock, log }: Deps) {
  const timers = timersIn(mongo.db);
  const holders = timerHoldersIn(mongo.db);
  const holder = newId();
  const firing = new Map<string, { done: Promise<void>; since: number }>();

  /** Firings that count towards CONCURRENCY. */
  const quick = () => {
    const since = performance.now() - QUICK_MS;
    return [...firing.values()].filter((one) => one.since > since);
  };

  async function fire(timer: TimerDoc): Promise<void> {
    try {
      const result = await host.fire(timer);
      log.debug({ actor: timer.actor, timer: timer.timerId, result }, "a timer fired");
    } catch (err) {
      const about = { err, actor: timer.actor, timer: timer.timerId };
      // A parked actor raises an alert of its own.
      if (isTemporary(err) || err instanceof UnreadableSnapshot)
        log.warn(about, "a timer could not be fired yet");
      else log.error(about, "a timer's event fails");
      await release(timer, err);
    }
  }

  async function release(timer: TimerDoc, reason: unknown): Promise<void> {
    const now = clock.now();
    const retryAt = new Date(now + retryAfter(reason, now - timer.dueAt.getTime()));
    try {
      await timers.release(timer._id, holder, retryAt);
    } catch (err) {
      log.debug({ err, timer: timer._id }, "a timer's lease could not be released; it will run out");
    }
  }

  /** Leases due timers, at most as many as there is room for, and starts to fire them. */
  async function take(): Promise<{ taken: number; more: boolean }> {
    const room = Math.min(CONCURRENCY - quick().length, MAX_FIRING - firing.size);
    // Asked each time: between two claims of one sweep the clock may have been set right.
    if (room <= 0 || clock.isTrusted?.() === false) return { taken: 0, more: false };
    const now = clock.now();
    const due = await timers.claimDue(new Date(now), new Date(now + LEASE_MS), holder, room);
    // Two sweeps of one process share a holder: one skips what the other is firing.
    const fresh = due.filter((timer) => !firing.has(timer._id));
    for (const timer of fresh) {
      const done = fire(timer).finally(() => firing.delete(timer._id));
      firing.set(timer._id, { done, since: performance.now() });
    }
    return { taken: fresh.length, more: due.length === room };
  }

  /** Starts to fire everything due now; returns how many timers that were. */
  async function sweep(): Promise<number> {
    for (let fired = 0; ; ) {
      for (let running = quick(); running.length > CONCURRENCY / 2; running = quick()) {
        await Promise.race([...running.map(({ done }) => done), pause(QUICK_MS)]);
      }
      const { taken, more } = await take();
      fired += taken;
      if (!more) return fired;
    }
  }

  /** Renews the heartbeat, and releases the leases of dead sweepers. */
  async function beat(): Promise<void> {
    const now = clock.now();
    await holders.beat(holder, new Date(now + DEAD_AFTER_MS));
    const dead = (await holders.dead(new Date(now))).filter((one) => one !== holder);
    if (dead.length === 0) return;
    await timers.freeOf(dead);
    await holders.removeDead(dead, new Date(now));
  }

  const idle = async () => void (await Promise.all([...firing.values()].map(({ done }) => done)));

  return {
    sweep,
    beat,
    /** Call it once no lease is held any more. */
    leave: () => holders.leave(holder),
    /** Resolves when everything started before is fired or released. */
    idle,
    /** Fires everything due now; returns how many timers that were. */
    async tick(): Promise<number> {
      await beat();
      const fired = await sweep();
      await idle();
      return fired;
    },
  };
}

const isTemporary = isUnavailable;

/**
 * An unavailable store or a full mailbox recovers by itself, soon. A parked actor, a machine that isn't known here or a bug
 * in it waits for other code, maybe for hours: waiting as long as the timer is late doubles the wait each time.
 */
function retryAfter(err: unknown, lateMs: number): number {
  return isTemporary(err) ? RETRY_MS : Math.min(Math.max(lateMs, RETRY_MS), MAX_RETRY_MS);
}

/**
 * Sweeps every `intervalMs` (250) until stopped; stopping waits for the running firings. A sweep waits for no timer: one
 * whose actor answers slowly would block all the others.
 */
export function startTimerSweeper(deps: Deps) {
  const { sweep, beat, leave, tick, idle } = createTimerSweeper(deps);
  let isKnown = false;
  async function round(): Promise<void> {
    // Before the first lease, since a holder without a heartbeat counts as dead.
    if (!isKnown) await beat();
    isKnown = true;
    await sweep();
  }
  const sweeping = repeat("timers", round, { ...deps, intervalMs: deps.intervalMs ?? 250 });
  const beating = repeat("timer-heartbeats", beat, { ...deps, intervalMs: HEARTBEAT_MS });
  return {
    tick,
    async stop(): Promise<void> {
      await sweeping.stop();
      await idle();
      await beating.stop();
      await leave();
    },
  };
}
