import type { Log } from "../../../base/log.ts";
import { openTransactionsIn } from "../../../store/mongo/driver/abandoned-transactions.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { repeat } from "../../tasks/repeat.ts";

/** A client that is silent for this long between two statements is gone, paused or unreachable. */
const SILENT_MS = 3_000;
/** No commit may take longer: its client has given up on it. */
const MAX_COMMIT_MS = 5_000;

type Deps = { mongo: Mongo; log: Log };

/**
 * Aborts transactions that a process left open. When a process is killed in the middle of a transaction, MongoDB keeps it,
 * with a lock on every document that it wrote, for transactionLifetimeLimitSeconds: a minute, measured up to 79 s, in which
 * the actor and its bettors get nothing but conflicts.
 */
export function createAbandonedTransactions({ mongo, log }: Deps) {
  const transactions = openTransactionsIn(mongo);
  let silent = new Map<string, { activeMicros: number; since: number }>();

  return {
    /** Checks once; returns how many it aborted. */
    async tick(): Promise<number> {
      const waiting = await transactions.waiting();
      const now = performance.now();
      const observed = waiting.map((one) => {
        const before = silent.get(one.key);
        return { ...one, since: before?.activeMicros === one.activeMicros ? before.since : now };
      });
      silent = new Map(observed.map((one) => [one.key, one]));
      const abandoned = observed.filter(
        ({ waitedMs, since }) => waitedMs > MAX_COMMIT_MS || now - since >= SILENT_MS,
      );
      await transactions.end(abandoned);
      if (abandoned.length > 0) log.warn({ ended: abandoned.length }, "ended transactions without a client");
      return abandoned.length;
    },
  };
}

/** Checks at once, since after a crash timers wait for it, and every `intervalMs` (1,000) until stopped. */
export function startAbandonedTransactions({ intervalMs = 1_000, ...deps }: Deps & { intervalMs?: number }) {
  const { tick } = createAbandonedTransactions(deps);
  return repeat("abandoned-transactions", tick, { intervalMs, clock: null, log: deps.log });
}
