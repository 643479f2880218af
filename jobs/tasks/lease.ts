import { newId } from "../../base/ids.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

export const LEASE_MS = 10_000;
const RENEW = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`;

/**
 * A lease that keeps workers from doing the same work twice. It saves work and guarantees nothing: a process that was
 * paused, or whose Redis has lost the key, may believe in a lease that another one has by now, so the work is idempotent.
 */
export function createLease(key: string) {
  const holder = newId();
  let heldUntil = 0;

  async function renew(redis: RedisConnection): Promise<boolean> {
    const sentAt = performance.now();
    const taken = (await redis.set(key, holder, "PX", LEASE_MS, "NX")) === "OK";
    const held = taken || (await redis.eval(RENEW, 1, key, holder, LEASE_MS)) === 1;
    heldUntil = held ? sentAt + LEASE_MS : 0;
    return held;
  }

  return {
    /** Acquires or renews it; false while another process has it. */
    renew,
    /** Like `renew`, but asks Redis only once a third of its time is over: for what runs each second. */
    hold: async (redis: RedisConnection): Promise<boolean> =>
      heldUntil - performance.now() > (LEASE_MS * 2) / 3 || renew(redis),
    /** False once it may have expired, by this process's own clock. */
    isSure: () => performance.now() < heldUntil,
    async release(redis: RedisConnection): Promise<void> {
      heldUntil = 0;
      await redis.eval(RELEASE, 1, key, holder);
    },
  };
}
