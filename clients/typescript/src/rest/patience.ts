export type Patience = {
  /** Tries of one call in all. */
  tries: number;
  /** A longer Retry-After is an answer, not a wait; ms. */
  maxWaitMs: number;
};

export const usualPatience: Patience = { tries: 4, maxWaitMs: 10_000 };

const TOO_MANY = 429;
const UNAVAILABLE = 503;

/**
 * How long to wait before the next try, ms; null when this answer stands. A 429 changed nothing; after a 503 it isn't
 * known whether it did, so that only what may happen twice is sent again.
 */
export function waitBefore(
  answer: { status: number; headers: Headers },
  { tried, isRepeatable, patience }: { tried: number; isRepeatable: boolean; patience: Patience },
): number | null {
  const isWorthIt = answer.status === TOO_MANY || (answer.status === UNAVAILABLE && isRepeatable);
  if (!isWorthIt || tried >= patience.tries) return null;
  const seconds = Number(answer.headers.get("retry-after") ?? "1");
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : 1_000;
  // Some later than told, so that those who were refused together don't come together.
  return ms > patience.maxWaitMs ? null : ms + Math.random() * 250;
}

/** Rejects with the signal's reason as soon as that is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
