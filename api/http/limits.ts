import type { Response } from "express";
import type { Caller } from "../../actors/accounts/tokens/caller.ts";
import { addressKey } from "../../base/addresses.ts";
import type { Log } from "../../base/log.ts";
import type { RateLimit } from "../../contract/errors.ts";
import {
  OPERATION_LIMITS,
  type OperationBucket,
  type OperationLimit,
} from "../../contract/operation-limits.ts";
import { type Allowance, rateLimitHeaders } from "../../contract/rate-limit-headers.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createRateLimits } from "../../store/redis/rate-limits.ts";

/** The limits of all requests, by who they are counted for. */
export const REQUEST_LIMITS = {
  user: { bucket: "default", limit: 600, windowSeconds: 60 },
  /** Each personal API token has a bucket of its own, so that a program doesn't use up its user's. */
  token: { bucket: "token", limit: 600, windowSeconds: 60 },
  address: { bucket: "default", limit: 300, windowSeconds: 60 },
  /** An ingest server acts for all its publishers. */
  system: { bucket: "system", limit: 6_000, windowSeconds: 60 },
} as const satisfies Record<string, RateLimit>;

export type Limits = ReturnType<typeof createLimits>;

export function createLimits({ factor, ...deps }: { redis: RedisConnection; factor: number; log: Log }) {
  const multiplied = (one: RateLimit) => ({
    ...one,
    limit: Math.max(1, Math.floor(one.limit * factor)),
  });
  const ofOperations = Object.entries<OperationLimit>(OPERATION_LIMITS).flatMap(
    ([bucket, { byUser, byAddress }]): [string, RateLimit][] => [
      ...(byUser ? [[`${bucket}:user`, { bucket, ...byUser }] as [string, RateLimit]] : []),
      ...(byAddress
        ? [[`${bucket}:address`, multiplied({ bucket, ...byAddress })] as [string, RateLimit]]
        : []),
    ],
  );
  const buckets: Record<string, RateLimit> = {
    ...Object.fromEntries(ofOperations),
    ...REQUEST_LIMITS,
    address: multiplied(REQUEST_LIMITS.address),
    system: multiplied(REQUEST_LIMITS.system),
  };
  const { take, look } = createRateLimits({ ...deps, buckets });

  return {
    /** Takes one point from the caller's own bucket, or from its address's. Throws `rate_limited`. */
    byCaller(caller: Caller, ip: string): Promise<Allowance> {
      if (caller.kind === "user" && caller.grant) return take("token", caller.sessionId);
      if (caller.kind === "user") return take("user", caller.userId);
      return take(caller.kind === "system" ? "system" : "address", addressKey(ip));
    },
    /** For a request without a known caller: a wrong token, an unknown path. Throws `rate_limited`. */
    byAddress: (ip: string): Promise<Allowance> => take("address", addressKey(ip)),
    /** Takes nothing: browsers send OPTIONS on their own, for pages of users who have buckets of their own. */
    lookByAddress: (ip: string): Promise<Allowance> => look("address", addressKey(ip)),
    /** Takes one point from a bucket that an operation names; `what` distinguishes the heartbeat's streams. */
    byOperation(bucket: OperationBucket, caller: Caller, ip: string, what: string): Promise<Allowance> {
      const { byUser, byAddress, isPerStream }: OperationLimit = OPERATION_LIMITS[bucket];
      const stream = isPerStream ? `:${what}` : "";
      if (caller.kind === "user" && byUser) return take(`${bucket}:user`, `${caller.userId}${stream}`);
      return take(`${bucket}:${byAddress ? "address" : "user"}`, `${addressKey(ip)}${stream}`);
    },
  };
}

/** Of several allowances the one with the least left is reported. */
export function setRateLimitHeaders(res: Response, allowance: Allowance): void {
  const reported = res.getHeader("RateLimit-Remaining");
  if (reported === undefined) setAllowance(res, allowance);
  else if (Number(reported) >= allowance.remaining) replaceAllowance(res, allowance);
}

/** Replaces what was reported before: for the allowance that refused. */
export function replaceAllowance(res: Response, allowance: Allowance): void {
  for (const name of ["RateLimit-Limit", "RateLimit-Policy"]) res.removeHeader(name);
  setAllowance(res, allowance);
}

function setAllowance(res: Response, allowance: Allowance): void {
  for (const [name, value] of Object.entries(rateLimitHeaders(allowance))) res.setHeader(name, value);
}

export function hasRateLimitHeaders(res: Response): boolean {
  return res.hasHeader("RateLimit-Remaining");
}
