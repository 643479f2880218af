import { setTimeout as pause } from "node:timers/promises";
import type { Host } from "../../actors/host/host.ts";
import { UnreadableSnapshot } from "../../actors/host/snapshot-codec.ts";
import { isUnavailable } from "../../store/away.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { timerHoldersIn } from "../../store/mongo/timer-holders.ts";
import { type TimerDoc, timersIn } from "../../store/mongo/timers.ts";
import { repeat } from "../repeat.ts";

/** Timers that are fired at a time: enough to keep the host busy, few enough to be fired soon. */
const HAND = 128;
/** One that takes longer, since its actor is locked, leaves its place to others; this many may be under way in all. */
const QUICK_MS = 1_000;
const MOST_UNDER_WAY = 1_024;
/** A sweeper that dies with timers in hand loses them to the others after this; while it lives it says so. */
const SILENT_MS = 4_000;
const BEAT_MS = 500;
/** Longer than anything takes: only for when nobody is there who looks after the dead. */
const LEASE_MS = 60_000;
/** A timer that couldn't be fired is tried again after this. */
const AGAIN_MS = 1_000;
/** One that this code can't fire at all is tried ever more rarely, down to this. */
const UNFIT_AGAIN_MS = 60_000;

type Deps = { host: Pick<Host, "fire">; mongo: Mongo; clock: Clock; log: Log; intervalMs?: number };

export type TimerSweeper = ReturnType<typeof createTimerSweeper>;

/**
 * The one thing that fires timers: takes what is due, with a lease, and fires it at its actor, whose commit removes
 * the row. While it fires, nothing else writes the row, or that commit would conflict: signs of life stand beside it. A
 * timer that is taken over while it is being fired is fired twice at most, and the second is stale.
 */
export function createTimerSweeper({ host, mongo, clock, log }: Deps) {
  const timers = timersIn(mongo.db);
  const holders = timerHoldersIn(mongo.db);
  const holder = newId();
  const inHand = new Map<string, { firing: Promise<void>; since: number }>();

  /** Those that still have a place; the slow ones have left theirs. */
  const quick = () => {
    const since = performance.now() - QUICK_MS;
    return [...inHand.values()].filter((one) => one.since > since);
  };

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
    const room = Math.min(HAND - quick().length, MOST_UNDER_WAY - inHand.size);
    if (room <= 0) return { taken: 0, more: false };
    const now = clock.now();
    const due = await timers.claimDue(new Date(now), new Date(now + LEASE_MS), holder, room);
    // Two sweeps of one process have the same holder: what one has in hand the other leaves.
    const fresh = due.filter((timer) => !inHand.has(timer._id));
    for (const timer of fresh) {
      const firing = fire(timer).finally(() => inHand.delete(timer._id));
      inHand.set(timer._id, { firing, since: performance.now() });
    }
    return { taken: fresh.length, more: due.length === room };
  }

  /** Begins to fire all that is due now, whatever is still under way; returns how many there were. */
  async function sweep(): Promise<number> {
    for (let fired = 0; ; ) {
      for (let hand = quick(); hand.length > HAND / 2; hand = quick()) {
        await Promise.race([...hand.map(({ firing }) => firing), pause(QUICK_MS)]);
      }
      const { taken, more } = await take();
      fired += taken;
      if (!more) return fired;
    }
  }

  /** Keeps what is being fired from the others, and takes over what the dead had in hand. */
  async function beat(): Promise<void> {
    const now = clock.now();
    await holders.beat(holder, new Date(now + SILENT_MS));
    const dead = (await holders.dead(new Date(now))).filter((one) => one !== holder);
    if (dead.length === 0) return;
    await timers.freeOf(dead);
    await holders.remove(dead);
  }

  const idle = async () => void (await Promise.all([...inHand.values()].map(({ firing }) => firing)));

  return {
    sweep,
    beat,
    /** Nothing is in hand any more. */
    leave: () => holders.leave(holder),
    /** Resolves when what was begun before is fired or given back. */
    idle,
    /** Fires all that is due now; returns how many there were. */
    async tick(): Promise<number> {
      await beat();
      const fired = await sweep();
      await idle();
      return fired;
    },
  };
}

const mendsByItself = isUnavailable;

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
  const { sweep, beat, leave, tick, idle } = createTimerSweeper(deps);
  let isKnown = false;
  async function round(): Promise<void> {
    // Before the first timer is taken: whoever has some is known to live.
    if (!isKnown) await beat();
    isKnown = true;
    await sweep();
  }
  const sweeping = repeat("timers", round, deps.intervalMs ?? 250, deps.log);
  const beating = repeat("signs of life of timers", beat, BEAT_MS, deps.log);
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
