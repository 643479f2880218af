import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Caller } from "../../actors/identity/caller.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Log } from "../../store/log.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

/**
 * Requests per window. `per` says whose count it is: the address's ones are multiplied by RATE_LIMIT_FACTOR,
 * since a demo or a load test comes from one address.
 */
const BUCKETS = {
  user: { name: "default", points: 600, seconds: 60, per: "caller" },
  address: { name: "default", points: 300, seconds: 60, per: "address" },
  auth: { name: "auth", points: 10, seconds: 60, per: "address" },
  register: { name: "register", points: 5, seconds: 3_600, per: "address" },
  heartbeat: { name: "heartbeat", points: 6, seconds: 60, per: "caller" },
  // As many as the 50 devices that count for an address and stream may send.
  heartbeats: { name: "heartbeat", points: 300, seconds: 60, per: "address" },
} as const;

type BucketId = keyof typeof BUCKETS;

/** The buckets that an operation may name in x-rate-limit. */
export type OperationBucket = "auth" | "register" | "heartbeat";

export function isOperationBucket(name: string): name is OperationBucket {
  return name === "auth" || name === "register" || name === "heartbeat";
}

/** What is left, for the RateLimit-* headers. */
export type Allowance = {
  bucket: string;
  limit: number;
  remaining: number;
  resetSeconds: number;
  windowSeconds: number;
};

/** While Redis is away each process lets a fraction pass: several processes together about the whole. */
const ALONE_SHARE = 0.25;
/** How long Redis isn't asked again after it failed to answer, so that requests don't all wait for it. */
const RETRY_MS = 500;

export type Limits = ReturnType<typeof createLimits>;

export function createLimits(deps: { redis: RedisConnection; factor: number; log: Log }) {
  let awayUntil = 0;
  const limiters = new Map<
    BucketId,
    { points: number; shared: RateLimiterRedis; alone: RateLimiterMemory }
  >();
  for (const id of bucketIds()) {
    const { points: base, seconds: duration, per } = BUCKETS[id];
    const points = per === "address" ? Math.max(1, Math.floor(base * deps.factor)) : base;
    const keyPrefix = `lc:limit:${id}`;
    limiters.set(id, {
      points,
      // A key that is used up is refused from memory for the rest of its window.
      shared: new RateLimiterRedis({
        storeClient: deps.redis,
        keyPrefix,
        points,
        duration,
        inMemoryBlockOnConsumed: points + 1,
      }),
      alone: new RateLimiterMemory({
        keyPrefix,
        points: Math.max(1, Math.ceil(points * ALONE_SHARE)),
        duration,
      }),
    });
  }

  async function take(id: BucketId, key: string): Promise<RateLimiterRes> {
    const limiter = limiters.get(id);
    if (!limiter) throw new Error(`There is no bucket ${id}`);
    if (performance.now() < awayUntil) return limiter.alone.consume(key);
    try {
      return await limiter.shared.consume(key);
    } catch (err) {
      if (err instanceof RateLimiterRes) throw err;
      if (performance.now() >= awayUntil) deps.log.warn({ err }, "rate limits are counted per process");
      awayUntil = performance.now() + RETRY_MS;
      return limiter.alone.consume(key);
    }
  }

  async function consume(id: BucketId, key: string): Promise<Allowance> {
    const { name, seconds } = BUCKETS[id];
    const limit = limiters.get(id)?.points ?? 0;
    try {
      const left = await take(id, key);
      return {
        bucket: name,
        limit,
        remaining: left.remainingPoints,
        resetSeconds: Math.ceil(left.msBeforeNext / 1_000),
        windowSeconds: seconds,
      };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw new ServiceError("rate_limited", {
        bucket: name,
        limit,
        window_seconds: seconds,
        retry_after_ms: Math.max(1, refusal.msBeforeNext),
      });
    }
  }

  return {
    /** Takes one from the caller's own bucket, or from its address's. Throws `rate_limited`. */
    byCaller: (caller: Caller, ip: string): Promise<Allowance> =>
      caller.kind === "user" ? consume("user", caller.userId) : consume("address", addressKey(ip)),
    /** For a bucket that an operation names; `what` tells the heartbeat's streams apart. */
    byOperation: (bucket: OperationBucket, caller: Caller, ip: string, what: string): Promise<Allowance> => {
      if (bucket !== "heartbeat") return consume(bucket, addressKey(ip));
      return caller.kind === "user"
        ? consume("heartbeat", `${caller.userId}:${what}`)
        : consume("heartbeats", `${addressKey(ip)}:${what}`);
    },
  };
}

function bucketIds(): BucketId[] {
  return ["user", "address", "auth", "register", "heartbeat", "heartbeats"];
}

/** One home has a whole /64 of IPv6 addresses, so that is what counts as one. */
export function addressKey(ip: string): string {
  const plain = ip.startsWith("::ffff:") && ip.includes(".") ? ip.slice(7) : ip;
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  const tailGroups = tail ? tail.split(":") : [];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups.length - tailGroups.length);
  const all = [...groups, ...Array<string>(missing).fill("0"), ...tailGroups];
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, "").toLowerCase())
    .join(":")}::/64`;
}
