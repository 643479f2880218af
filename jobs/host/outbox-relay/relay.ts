import type { Outbox } from "../../../actors/host/outbox.ts";
import type { Log } from "../../../base/log.ts";
import { repeat } from "../../tasks/repeat.ts";
import { FairScheduler } from "./fair-scheduler.ts";

/** Previously failed sources that are retried per round. */
const MAX_RETRIED = 1_000;
/** Maximum of pages of fresh sources per round. */
const MAX_PAGES = 100;

type Deps = { outbox: Outbox; log: Log; intervalMs?: number; ageMs?: number };

/** Single rounds of the relay, without the interval. */
export function createOutboxSweep({ outbox, ageMs = 1_000 }: Pick<Deps, "outbox" | "ageMs">) {
  const scheduler = new FairScheduler(outbox.publishTurn);

  /** Cursor over all sources by name; it moves on whether or not those it finds can be published. */
  let cursor = "";

  /** Schedules everything unsent; returns the number of sources. */
  async function sweep(): Promise<number> {
    let added = scheduler.addReturning(outbox.failedBefore(MAX_RETRIED));
    for (let page = 0; page < MAX_PAGES && !scheduler.isFull; page++) {
      const { sources, next } = await outbox.waitingAfter(cursor, ageMs);
      added += scheduler.add(sources);
      cursor = next ?? "";
      if (next === null) break;
    }
    return added;
  }

  return {
    sweep,
    /** Publishes everything unsent now, and resolves when it is done; returns the number of sources. */
    async tick(): Promise<number> {
      const sources = await sweep();
      await scheduler.idle();
      return sources;
    },
    /** Starts nothing more; resolves when the running publishes have ended. */
    stop: () => scheduler.stop(),
  };
}

/**
 * Publishes, at least once, what the committing process has not: it died, or Redis was unavailable. Rows younger than
 * `ageMs` (1,000) are left to their own process. A round waits for no source: a long one would block all the others.
 */
export function startOutboxRelay(deps: Deps) {
  const { sweep, tick, stop } = createOutboxSweep(deps);
  const { intervalMs = 500, log } = deps;
  const sweeping = repeat("outbox-relay", sweep, { intervalMs, clock: null, log });
  return {
    tick,
    async stop(): Promise<void> {
      await Promise.all([sweeping.stop(), stop()]);
    },
  };
}
