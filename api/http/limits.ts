import type { Response } from "express";
import type { Caller } from "../../actors/identity/caller.ts";
import { type Allowance, rateLimitHeaders } from "../../specs/contract/rate-limit-headers.ts";
import { addressKey } from "../../store/addresses.ts";
import type { Log } from "../../store/log.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { type Bucket, createRateLimits } from "../../store/redis/rate-limits.ts";

type Window = { points: number; seconds: number };

/** Of a bucket beside that of all requests: for signed-in users (without it they count by address too), and by address. */
type OperationLimit = {
  byUser?: Window;
  byAddress?: Window;
  /** Each stream, and each device of an address, counts by itself. */
  isPerStream?: true;
};

/**
 * The buckets that an operation may name in x-rate-limit. Who isn't signed in, where there is none by address, counts like
 * a user. Those by address are multiplied by RATE_LIMIT_FACTOR, since a demo or a load test comes from one address.
 */
export const OPERATION_LIMITS = {
  auth: { byAddress: { points: 10, seconds: 60 } },
  register: { byAddress: { points: 5, seconds: 3_600 } },
  // Each may send a mail to an address that somebody names.
  verifications: { byUser: { points: 5, seconds: 3_600 } },
  resets: { byAddress: { points: 20, seconds: 3_600 } },
  // Hundreds of kilobytes each, which a reader that stops leaves in our buffers.
  docs: { byAddress: { points: 60, seconds: 60 } },
  // By address: as many as the 50 devices that count for an address and stream may send.
  heartbeat: {
    byUser: { points: 6, seconds: 60 },
    byAddress: { points: 300, seconds: 60 },
    isPerStream: true,
  },
  // Each change is an event for everybody in two rooms.
  hosting: { byUser: { points: 10, seconds: 60 } },
  raids: { byUser: { points: 10, seconds: 600 } },
  // Two events for everybody in the room each, and two lines of its log.
  polls: { byUser: { points: 10, seconds: 60 } },
  redemptions: { byUser: { points: 60, seconds: 60 } },
  // Of up to fifty each.
  bulk: { byUser: { points: 20, seconds: 60 } },
  // Each is work for the media service.
  clips: { byUser: { points: 30, seconds: 3_600 } },
  reports: { byUser: { points: 20, seconds: 3_600 }, byAddress: { points: 20, seconds: 3_600 } },
  whispers: { byUser: { points: 100, seconds: 60 } },
  support: { byAddress: { points: 5, seconds: 3_600 } },
  uploads: { byUser: { points: 10, seconds: 3_600 } },
  // Who sets a channel up has many, small ones.
  chat_images: { byUser: { points: 60, seconds: 3_600 } },
  // One is enough; the others are for answers that were cut.
  export: { byUser: { points: 3, seconds: 86_400 } },
  // Pictures of everybody in a chat, of which a browser keeps each.
  files: { byAddress: { points: 1_200, seconds: 60 } },
  // As fast as crawlers go.
  pages: { byAddress: { points: 600, seconds: 60 } },
  // Calendars and files of the sitemap: as much work each as some hundred other requests, for whoever asks.
  bulk_reads: { byAddress: { points: 60, seconds: 60 } },
  // Each asks the payment platform.
  checkout: { byUser: { points: 20, seconds: 60 }, byAddress: { points: 20, seconds: 60 } },
  // Reads three months of a channel.
  analytics: { byUser: { points: 60, seconds: 60 } },
  tokens: { byUser: { points: 10, seconds: 3_600 } },
  // Workers compile a room's terms anew after each.
  terms: { byUser: { points: 120, seconds: 60 } },
  // Each looks through four indexes, and again for typing errors.
  search: { byUser: { points: 60, seconds: 60 }, byAddress: { points: 60, seconds: 60 } },
} as const satisfies Record<string, OperationLimit>;

export type OperationBucket = keyof typeof OPERATION_LIMITS;

export const isOperationBucket = (name: string): name is OperationBucket =>
  Object.hasOwn(OPERATION_LIMITS, name);

/** Of all requests, by whom they are counted. */
export const REQUEST_LIMITS = {
  user: { name: "default", points: 600, seconds: 60 },
  /** Of each personal API token by itself, so that a program doesn't use up what its user has. */
  token: { name: "token", points: 600, seconds: 60 },
  address: { name: "default", points: 300, seconds: 60 },
  /** An ingest server speaks for all its publishers. */
  system: { name: "system", points: 6_000, seconds: 60 },
} as const satisfies Record<string, Bucket>;

export type Limits = ReturnType<typeof createLimits>;

export function createLimits({ factor, ...deps }: { redis: RedisConnection; factor: number; log: Log }) {
  const multiplied = (bucket: Bucket) => ({
    ...bucket,
    points: Math.max(1, Math.floor(bucket.points * factor)),
  });
  const ofOperations = Object.entries<OperationLimit>(OPERATION_LIMITS).flatMap(
    ([name, { byUser, byAddress }]): [string, Bucket][] => [
      ...(byUser ? [[`${name}:user`, { name, ...byUser }] as [string, Bucket]] : []),
      ...(byAddress ? [[`${name}:address`, multiplied({ name, ...byAddress })] as [string, Bucket]] : []),
    ],
  );
  const buckets: Record<string, Bucket> = {
    ...Object.fromEntries(ofOperations),
    ...REQUEST_LIMITS,
    address: multiplied(REQUEST_LIMITS.address),
    system: multiplied(REQUEST_LIMITS.system),
  };
  const { take, look } = createRateLimits({ ...deps, buckets });

  return {
    /** Takes one from the caller's own bucket, or from its address's. Throws `rate_limited`. */
    byCaller(caller: Caller, ip: string): Promise<Allowance> {
      if (caller.kind === "user" && caller.grant) return take("token", caller.sessionId);
      if (caller.kind === "user") return take("user", caller.userId);
      return take(caller.kind === "system" ? "system" : "address", addressKey(ip));
    },
    /** Of a request that nobody is known to have made: a wrong token, a path that there isn't. Throws `rate_limited`. */
    byAddress: (ip: string): Promise<Allowance> => take("address", addressKey(ip)),
    /** Takes nothing: browsers ask by OPTIONS on their own, for pages of users who have buckets of theirs. */
    lookByAddress: (ip: string): Promise<Allowance> => look("address", addressKey(ip)),
    /** For a bucket that an operation names; `what` distinguishes the heartbeat's streams. */
    byOperation(bucket: OperationBucket, caller: Caller, ip: string, what: string): Promise<Allowance> {
      const { byUser, byAddress, isPerStream }: OperationLimit = OPERATION_LIMITS[bucket];
      const stream = isPerStream ? `:${what}` : "";
      if (caller.kind === "user" && byUser) return take(`${bucket}:user`, `${caller.userId}${stream}`);
      return take(`${bucket}:${byAddress ? "address" : "user"}`, `${addressKey(ip)}${stream}`);
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
