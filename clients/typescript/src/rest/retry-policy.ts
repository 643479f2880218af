export type RetryPolicy = {
  /** Maximum number of tries of one call, the first included. */
  tries: number;
  /** When Retry-After is longer, the answer is returned instead of retrying; ms. */
  maxWaitMs: number;
};

export const DEFAULT_RETRY_POLICY: RetryPolicy = { tries: 4, maxWaitMs: 10_000 };

const TOO_MANY = 429;
const UNAVAILABLE = 503;

/**
 * How long to wait before the next try, ms; null when this answer is final. A 429 changed nothing. After a 503 it is unknown
 * whether the call took effect, so only idempotent requests are retried.
 */
export function retryDelay(
  answer: { status: number; headers: Headers },
  { tried, isRepeatable, retry }: { tried: number; isRepeatable: boolean; retry: RetryPolicy },
): number | null {
  const isRetryable = answer.status === TOO_MANY || (answer.status === UNAVAILABLE && isRepeatable);
  if (!isRetryable || tried >= retry.tries) return null;
  const seconds = Number(answer.headers.get("retry-after") ?? "1");
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : 1_000;
  // Jitter, so that clients that were refused together don't retry together.
  return ms > retry.maxWaitMs ? null : ms + Math.random() * 250;
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
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
