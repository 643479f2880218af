import type { Outbox } from "../../actors/host/outbox.ts";
import type { Log } from "../../store/log.ts";
import { repeat } from "../repeat.ts";
import { Turns } from "./turns.ts";

/** Sources that failed before and are tried again in a round. */
const AGAIN = 1_000;
/** Pages that a round looks through for new sources. */
const MOST_PAGES = 100;

type Deps = { outbox: Outbox; log: Log; intervalMs?: number; ageMs?: number };

/** One round of it, for whoever wants to make it by hand. */
export function createOutboxSweep({ outbox, ageMs = 1_000 }: Pick<Deps, "outbox" | "ageMs">) {
  const turns = new Turns(outbox.publishTurn);

  /** The source up to which the rounds have looked: they go through all, whatever becomes of those they find. */
  let lookedUpTo = "";

  /** Begins to publish what waits, whatever is still under way; returns the number of sources. */
  async function sweep(): Promise<number> {
    let added = turns.addAgain(outbox.failedBefore(AGAIN));
    for (let page = 0; page < MOST_PAGES && !turns.isFull; page++) {
      const { sources, next } = await outbox.waitingAfter(lookedUpTo, ageMs);
      added += turns.add(sources);
      lookedUpTo = next ?? "";
      if (next === null) break;
    }
    return added;
  }

  return {
    sweep,
    /** Publishes what waits now, and resolves when it is done; returns the number of sources. */
    async tick(): Promise<number> {
      const sources = await sweep();
      await turns.idle();
      return sources;
    },
    /** Begins nothing more; resolves when what is under way has come to an end. */
    stop: () => turns.stop(),
  };
}

/**
 * Publishes what the process that committed it has not: it died, or Redis was away. Rows younger than `ageMs` (1,000)
 * are left to their own process. A round waits for no source: one with much to tell would hold up all the others.
 */
export function startOutboxRelay(deps: Deps) {
  const { sweep, tick, stop } = createOutboxSweep(deps);
  const sweeping = repeat("outbox relay", sweep, deps.intervalMs ?? 500, deps.log);
  return {
    tick,
    async stop(): Promise<void> {
      await Promise.all([sweeping.stop(), stop()]);
    },
  };
}
