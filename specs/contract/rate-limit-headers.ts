import type { ServiceError } from "./errors.ts";

/** What is left in one bucket. Null is what the one who counts can't say: a number of open sockets has no window. */
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

/** The bucket that a 429 names in its details, of which nothing is left; null for any other error. */
export function exhaustedBy({ status, details = {} }: ServiceError): Allowance | null {
  const { bucket, limit, window_seconds: windowSeconds, retry_after_ms: waitMs } = details;
  if (status !== 429 || typeof bucket !== "string") return null;
  return {
    bucket,
    limit: typeof limit === "number" ? limit : null,
    remaining: 0,
    resetSeconds: typeof waitMs === "number" ? Math.max(1, Math.ceil(waitMs / 1_000)) : 1,
    windowSeconds: typeof windowSeconds === "number" ? windowSeconds : null,
  };
}
