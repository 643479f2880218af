import type { ServiceError } from "./errors.ts";

/** What is left in one bucket. Null is what the limiter can't know: a number of open sockets has no window. */
export type Allowance = {
  bucket: string;
  limit: number | null;
  remaining: number;
  resetSeconds: number;
  windowSeconds: number | null;
};

/** The RateLimit-* headers, the same for REST and for an upgrade. */
export function rateLimitHeaders({ limit, ...allowance }: Allowance): Record<string, string> {
  const window = allowance.windowSeconds === null ? "" : `;w=${allowance.windowSeconds}`;
  const known =
    limit === null
      ? {}
      : {
          "RateLimit-Limit": String(limit),
          "RateLimit-Policy": `${limit}${window};name="${allowance.bucket}"`,
        };
  return {
    ...known,
    "RateLimit-Remaining": String(allowance.remaining),
    "RateLimit-Reset": String(allowance.resetSeconds),
  };
}

/** The exhausted bucket in a 429's details; null for any other error. */
export function exhaustedBy({ details, retryAfterMs }: ServiceError): Allowance | null {
  if (!details || !("bucket" in details)) return null;
  const { bucket, limit = null, window_seconds: windowSeconds = null } = details;
  const resetSeconds = Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1_000));
  return { bucket, limit, remaining: 0, resetSeconds, windowSeconds };
}
