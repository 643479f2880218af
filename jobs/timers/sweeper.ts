import type { Host } from "../../actors/host/host.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type TimerDoc, timersIn } from "../../store/mongo/timers.ts";
import { repeat } from "../repeat.ts";

const PAGE = 200;
/** A sweeper that dies with timers in hand loses them to the others after this. */
const LEASE_MS = 5_000;
/** A timer that couldn't be fired is tried again after this. */
const AGAIN_MS = 1_000;

type Deps = { host: Pick<Host, "fire">; mongo: Mongo; clock: Clock; log: Log; intervalMs?: number };

export type TimerSweeper = ReturnType<typeof createTimerSweeper>;

/**
 * The one thing that fires timers: takes what is due, with a lease, and fires it at its actor, whose commit removes
 * the row. A timer whose lease runs out while it is being fired is fired twice at most, and the second is stale.
 */
export function createTimerSweeper({ host, mongo, clock, log }: Deps) {
  const timers = timersIn(mongo.db);

  async function fire(timer: TimerDoc, holder: string): Promise<void> {
    try {
      const result = await host.fire(timer);
      log.debug({ actor: timer.actor, timer: timer.timerId, result }, "a timer fired");
    } catch (err) {
      log.warn({ err, actor: timer.actor, timer: timer.timerId }, "a timer could not be fired yet");
      await timers.release(timer._id, holder, new Date(clock.now() + AGAIN_MS));
    }
  }

  return {
    /** Fires all that is due now; returns how many there were. */
    async tick(): Promise<number> {
      for (let fired = 0; ; ) {
        const holder = newId();
        const now = clock.now();
        const due = await timers.claimDue(new Date(now), new Date(now + LEASE_MS), holder, PAGE);
        await Promise.all(due.map((timer) => fire(timer, holder)));
        fired += due.length;
        if (due.length < PAGE) return fired;
      }
    },
  };
}

/** Sweeps every `intervalMs` (250) until stopped; stopping waits for the sweep under way. */
export function startTimerSweeper(deps: Deps) {
  const { tick } = createTimerSweeper(deps);
  return { tick, ...repeat("timers", tick, deps.intervalMs ?? 250, deps.log) };
}
