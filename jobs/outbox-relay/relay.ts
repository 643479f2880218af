import type { Outbox } from "../../actors/host/outbox.ts";
import type { Log } from "../../store/log.ts";
import { repeat } from "../repeat.ts";
import { Turns } from "./turns.ts";

const PAGE = 500;

type Deps = { outbox: Outbox; log: Log; intervalMs?: number; ageMs?: number };

/** One round of it, for whoever wants to make it by hand. */
export function createOutboxSweep({ outbox, ageMs = 1_000 }: Pick<Deps, "outbox" | "ageMs">) {
  const turns = new Turns(outbox.publishTurn);

  /** Begins to publish what waits, whatever is still under way; returns the number of sources. */
  const sweep = async (): Promise<number> => turns.add("first", await outbox.waiting(ageMs, PAGE));

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
