import type { Response } from "express";
import type { Caller } from "../../actors/accounts/tokens/caller.ts";
import { addressKey } from "../../base/addresses.ts";
import type { Log } from "../../base/log.ts";
import type { RateLimit } from "../../contract/errors.ts";
import { type Allowance, rateLimitHeaders } from "../../contract/rate-limit-headers.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createRateLimits } from "../../store/redis/rate-limits.ts";

type Window = Pick<RateLimit, "limit" | "windowSeconds">;

/**
 * The limits of a bucket besides that of all requests: for signed-in users (without it they count by address too), and by
 * address.
 */
type OperationLimit = {
  byUser?: Window;
  byAddress?: Window;
  /** Each stream, and each device of an address, has a count of its own. */
  isPerStream?: true;
};

/**
 * The buckets that an operation may name in x-rate-limit. If a bucket has no limit by address, the limit by user also
 * applies to callers who aren't signed in. Limits by address are multiplied by RATE_LIMIT_FACTOR, since a demo or a load
 * test comes from one address.
 */
export const OPERATION_LIMITS = {
  auth: { byAddress: { limit: 10, windowSeconds: 60 } },
  register: { byAddress: { limit: 5, windowSeconds: 3_600 } },
  // Each may send a mail to an address that the caller chooses.
  verifications: { byUser: { limit: 5, windowSeconds: 3_600 } },
  resets: { byAddress: { limit: 20, windowSeconds: 3_600 } },
  // Hundreds of kilobytes each, which stay in our buffers if the reader stops.
  docs: { byAddress: { limit: 60, windowSeconds: 60 } },
  // By address: as many as the 50 devices that count per address and stream may send.
  heartbeat: {
    byUser: { limit: 6, windowSeconds: 60 },
    byAddress: { limit: 300, windowSeconds: 60 },
    isPerStream: true,
  },
  // Each change is an event for everybody in two rooms.
  hosting: { byUser: { limit: 10, windowSeconds: 60 } },
  raids: { byUser: { limit: 10, windowSeconds: 600 } },
  // Each is two events for everybody in the room, and two entries of its log.
  polls: { byUser: { limit: 10, windowSeconds: 60 } },
  redemptions: { byUser: { limit: 60, windowSeconds: 60 } },
  // Up to fifty items each.
  bulk: { byUser: { limit: 20, windowSeconds: 60 } },
  // Each is work for the media service.
  clips: { byUser: { limit: 30, windowSeconds: 3_600 } },
  reports: { byUser: { limit: 20, windowSeconds: 3_600 }, byAddress: { limit: 20, windowSeconds: 3_600 } },
  whispers: { byUser: { limit: 100, windowSeconds: 60 } },
  support: { byAddress: { limit: 5, windowSeconds: 3_600 } },
  uploads: { byUser: { limit: 10, windowSeconds: 3_600 } },
  // Setting up a channel takes many small uploads.
  chat_images: { byUser: { limit: 60, windowSeconds: 3_600 } },
  // One is enough; the others are for downloads that were cut off.
  export: { byUser: { limit: 3, windowSeconds: 86_400 } },
  // Pictures of everybody in a chat; a browser caches each.
  files: { byAddress: { limit: 1_200, windowSeconds: 60 } },
  // As fast as crawlers go.
  pages: { byAddress: { limit: 600, windowSeconds: 60 } },
  // Calendars and sitemap files: each is as much work as some hundred other requests, and open to everybody.
  bulk_reads: { byAddress: { limit: 60, windowSeconds: 60 } },
  // Each is a call to the payment platform.
  checkout: { byUser: { limit: 20, windowSeconds: 60 }, byAddress: { limit: 20, windowSeconds: 60 } },
  // Reads three months of a channel.
  analytics: { byUser: { limit: 60, windowSeconds: 60 } },
  tokens: { byUser: { limit: 10, windowSeconds: 3_600 } },
  // Workers recompile a room's terms after each.
  terms: { byUser: { limit: 120, windowSeconds: 60 } },
  // Each searches four indexes, and again for typing errors.
  search: { byUser: { limit: 60, windowSeconds: 60 }, byAddress: { limit: 60, windowSeconds: 60 } },
} as const satisfies Record<string, OperationLimit>;

export type OperationBucket = keyof typeof OPERATION_LIMITS;

export const isOperationBucket = (name: string): name is OperationBucket =>
  Object.hasOwn(OPERATION_LIMITS, name);

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
