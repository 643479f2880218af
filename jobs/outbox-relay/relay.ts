import type { Outbox } from "../../actors/host/outbox.ts";
import type { Log } from "../../store/log.ts";
import { repeat } from "../repeat.ts";

const PAGE = 500;

type Deps = { outbox: Outbox; log: Log; intervalMs?: number; ageMs?: number };

/** One round of it, for whoever wants to make it by hand. */
export function createOutboxSweep({ outbox, ageMs = 1_000 }: Pick<Deps, "outbox" | "ageMs">) {
  return { tick: () => outbox.sweep(ageMs, PAGE) };
}

/**
 * Publishes what the process that committed it has not: it died, or Redis was away. Rows younger than `ageMs` (1,000)
 * are left to their own process.
 */
export function startOutboxRelay(deps: Deps) {
  const { tick } = createOutboxSweep(deps);
  return { tick, ...repeat("outbox relay", tick, deps.intervalMs ?? 500, deps.log) };
}
