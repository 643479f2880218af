import type { Response } from "express";
import type { Caller } from "../../actors/identity/caller.ts";
import { type Allowance, rateLimitHeaders } from "../../specs/contract/rate-limit-headers.ts";
import { addressKey } from "../../store/addresses.ts";
import type { Log } from "../../store/log.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { type Bucket, createRateLimits } from "../../store/redis/rate-limits.ts";

/** Requests per window of what counts by caller. */
const BY_CALLER = {
  user: { name: "default", points: 600, seconds: 60 },
  heartbeat: { name: "heartbeat", points: 6, seconds: 60 },
  // Each change is an event for everybody in two rooms.
  hosting: { name: "hosting", points: 10, seconds: 60 },
  raids: { name: "raids", points: 10, seconds: 600 },
} as const;

/** Multiplied by RATE_LIMIT_FACTOR, since a demo or a load test comes from one address. */
const BY_ADDRESS = {
  address: { name: "default", points: 300, seconds: 60 },
  // An ingest server speaks for all its publishers.
  system: { name: "system", points: 6_000, seconds: 60 },
  auth: { name: "auth", points: 10, seconds: 60 },
  register: { name: "register", points: 5, seconds: 3_600 },
  // Hundreds of kilobytes each, which a reader that stops leaves in our buffers.
  docs: { name: "docs", points: 60, seconds: 60 },
  // As many as the 50 devices that count for an address and stream may send.
  heartbeats: { name: "heartbeat", points: 300, seconds: 60 },
} as const;

/** The buckets that an operation may name in x-rate-limit. */
export type OperationBucket = "auth" | "register" | "heartbeat" | "hosting" | "raids" | "docs";

export function isOperationBucket(name: string): name is OperationBucket {
  return ["auth", "register", "heartbeat", "hosting", "raids", "docs"].includes(name);
}

export type Limits = ReturnType<typeof createLimits>;

export function createLimits({ factor, ...deps }: { redis: RedisConnection; factor: number; log: Log }) {
  const multiplied = (bucket: Bucket) => ({
    ...bucket,
    points: Math.max(1, Math.floor(bucket.points * factor)),
  });
  const { take, look } = createRateLimits({
    ...deps,
    buckets: {
      ...BY_CALLER,
      address: multiplied(BY_ADDRESS.address),
      system: multiplied(BY_ADDRESS.system),
      auth: multiplied(BY_ADDRESS.auth),
      register: multiplied(BY_ADDRESS.register),
      docs: multiplied(BY_ADDRESS.docs),
      heartbeats: multiplied(BY_ADDRESS.heartbeats),
    },
  });

  return {
    /** Takes one from the caller's own bucket, or from its address's. Throws `rate_limited`. */
    byCaller(caller: Caller, ip: string): Promise<Allowance> {
      if (caller.kind === "user") return take("user", caller.userId);
      return take(caller.kind === "system" ? "system" : "address", addressKey(ip));
    },
    /** Of a request that nobody is known to have made: a wrong token, a path that there isn't. Throws `rate_limited`. */
    byAddress: (ip: string): Promise<Allowance> => take("address", addressKey(ip)),
    /** Takes nothing: browsers ask by OPTIONS on their own, for pages of users who have buckets of theirs. */
    lookByAddress: (ip: string): Promise<Allowance> => look("address", addressKey(ip)),
    /** For a bucket that an operation names; `what` distinguishes the heartbeat's streams. */
    byOperation(bucket: OperationBucket, caller: Caller, ip: string, what: string): Promise<Allowance> {
      if (bucket === "hosting" || bucket === "raids")
        return take(bucket, caller.kind === "user" ? caller.userId : addressKey(ip));
      if (bucket !== "heartbeat") return take(bucket, addressKey(ip));
      return caller.kind === "user"
        ? take("heartbeat", `${caller.userId}:${what}`)
        : take("heartbeats", `${addressKey(ip)}:${what}`);
    },
  };
}

/** Of several allowances the tightest is reported: the one with the least left. */
export function tellAllowance(res: Response, allowance: Allowance): void {
  const reported = res.getHeader("RateLimit-Remaining");
  if (reported === undefined) setAllowance(res, allowance);
  else if (Number(reported) >= allowance.remaining) replaceAllowance(res, allowance);
}

/** Instead of any other that was reported before: the one that refused. */
export function replaceAllowance(res: Response, allowance: Allowance): void {
  for (const name of ["RateLimit-Limit", "RateLimit-Policy"]) res.removeHeader(name);
  setAllowance(res, allowance);
}

function setAllowance(res: Response, allowance: Allowance): void {
  for (const [name, value] of Object.entries(rateLimitHeaders(allowance))) res.setHeader(name, value);
}

export function isAllowanceTold(res: Response): boolean {
  return res.hasHeader("RateLimit-Remaining");
}
