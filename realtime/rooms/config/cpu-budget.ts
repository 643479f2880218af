import { ServiceError, unavailable } from "../../../contract/errors.ts";

/** Runs a piece of work, or throws when the budget is used up. */
export type Spend = <Result>(work: () => Result) => Result;

/** `part`: share of a worker's wall time; `atOnceMs`: burst; `refusal`: the error past that. */
type Budget = { part: number; atOnceMs: number; refusal(waitMs: number): ServiceError };

/** For the terms of one channel. */
const CHANNEL_BUDGET: Budget = {
  part: 1 / 4,
  atOnceMs: 250,
  refusal: (waitMs) => unavailable({ retryAfterMs: waitMs }),
};

/**
 * For the texts of one author, refused ones included: many times what ordinary texts take, and so small a part of a channel's
 * budget that no author can use it up for everybody else.
 */
export const AUTHOR_BUDGET: Budget = {
  part: 1 / 100,
  atOnceMs: 50,
  refusal: (waitMs) => new ServiceError("rate_limited", { bucket: "chat_texts", retry_after_ms: waitMs }),
};

/** Wall time counts up to this multiple of the CPU time. */
const MAX_WALL_PER_CPU = 3;
/**
 * Reading the CPU time costs more than checking an ordinary text. So it is read only for work of a budget that has lately had a
 * piece longer than this, and for so many pieces after it; the others count by wall time.
 */
const SHORT_MS = 2;
const MEASURED_AFTER_LONG = 10;
/** What a long piece counts at most when its CPU time wasn't read. */
const UNMEASURED_MS = 10;

/**
 * All rooms share a worker's time: work that takes more than its budget is refused until the time is paid back. The time is
 * measured and not estimated, since no bound on what is matched says how long a machine takes.
 */
export function cpuBudget({ part, atOnceMs, refusal }: Budget = CHANNEL_BUDGET): Spend {
  let paidUntil = 0;
  let measured = 0;
  return (work) => {
    const from = performance.now();
    const waitMs = paidUntil - from - atOnceMs / part;
    if (waitMs > 0) throw refusal(Math.ceil(waitMs));
    const before = measured > 0 ? process.cpuUsage() : null;
    try {
      return work();
    } finally {
      const wallMs = performance.now() - from;
      // On a busy machine short work may have been preempted for long, which isn't its author's fault.
      const mostMs = before ? MAX_WALL_PER_CPU * cpuMsSince(before) : UNMEASURED_MS;
      paidUntil = Math.max(paidUntil, from) + Math.min(wallMs, mostMs) / part;
      measured = wallMs > SHORT_MS ? MEASURED_AFTER_LONG : Math.max(0, measured - 1);
    }
  };
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** One budget per id, for the `max` recently used ids (LRU). */
export function cpuBudgets({ share = CHANNEL_BUDGET, max }: { share?: Budget; max: number }) {
  /** Least recently used first. */
  const budgets = new Map<string, Spend>();
  return {
    of(id: string): Spend {
      const spend = budgets.get(id) ?? cpuBudget(share);
      budgets.delete(id);
      budgets.set(id, spend);
      const [oldest] = budgets.keys();
      if (budgets.size > max && oldest !== undefined) budgets.delete(oldest);
      return spend;
    },
  };
}
