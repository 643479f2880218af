import { ServiceError } from "../../../specs/contract/errors.ts";

/** Does a piece of work, or refuses it. */
export type Spend = <Result>(work: () => Result) => Result;

/** Of a worker's time: the part that may be taken, how much of it at once, and what is told to who comes past that. */
type Share = { part: number; atOnceMs: number; refusal(waitMs: number): ServiceError };

/** What one channel's terms may take. */
const OF_CHANNEL: Share = {
  ...{ part: 1 / 4, atOnceMs: 250 },
  refusal: (waitMs) => new ServiceError("unavailable", { retry_after_ms: waitMs }),
};

/**
 * What one author's texts may, refused ones too: many times what texts take that aren't made for it, and so little of a channel's
 * that nobody takes it from everybody else.
 */
export const OF_AUTHOR: Share = {
  ...{ part: 1 / 100, atOnceMs: 50 },
  refusal: (waitMs) => new ServiceError("rate_limited", { bucket: "chat_texts", retry_after_ms: waitMs }),
};

/** Of what was computed: so much longer it may have taken, to be counted as it is. */
const MOST_WAITING = 3;

/**
 * A worker's time is everybody's: work that takes more of it than its share is refused until that is made up for. It is measured
 * and not estimated, since no bound on what is matched tells how long a machine takes.
 */
export function timeShare({ part, atOnceMs, refusal }: Share = OF_CHANNEL): Spend {
  let paidUntil = 0;
  return (work) => {
    const from = performance.now();
    const waitMs = paidUntil - from - atOnceMs / part;
    if (waitMs > 0) throw refusal(Math.ceil(waitMs));
    const cpu = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(cpu);
    // On a busy machine a moment's work may have been interrupted for long, which isn't its author's doing.
    const tookMs = Math.min(performance.now() - from, (MOST_WAITING * (user + system)) / 1_000);
    paidUntil = Math.max(paidUntil, from) + tookMs / part;
    return result;
  };
}

/** A share for each of several, as many as were used lately. */
export function timeShares({ share = OF_CHANNEL, most }: { share?: Share; most: number }) {
  /** The one that was used the longest ago first. */
  const shares = new Map<string, Spend>();
  return {
    of(id: string): Spend {
      const spend = shares.get(id) ?? timeShare(share);
      shares.delete(id);
      shares.set(id, spend);
      const [oldest] = shares.keys();
      if (shares.size > most && oldest !== undefined) shares.delete(oldest);
      return spend;
    },
  };
}
