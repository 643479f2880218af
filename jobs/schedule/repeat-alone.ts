import type { Log } from "../../store/log.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createLease, LEASE_MS } from "./lease.ts";
import { repeat } from "./repeat.ts";

/**
 * Runs `work` as `repeat` does, in one worker at a time, by the lease under `key`, which is renewed while it runs: who stops
 * gives it up for the next. `isSure` says whether the lease is still held; long work looks and ends early.
 */
export function repeatAlone(
  name: string,
  work: (isSure: () => boolean) => Promise<unknown>,
  { key, redis, intervalMs, log }: { key: string; redis: RedisConnection; intervalMs: number; log: Log },
) {
  const lease = createLease(key);
  const renew = () =>
    void lease
      .hold(redis)
      .catch((err: unknown) => log.warn({ err, job: name }, "a lease could not be renewed"));
  const running = repeat(
    name,
    async () => {
      if (!(await lease.hold(redis))) return;
      const renewing = setInterval(renew, LEASE_MS / 3);
      try {
        await work(lease.isSure);
      } finally {
        clearInterval(renewing);
      }
    },
    intervalMs,
    log,
  );
  return {
    async stop(): Promise<void> {
      await running.stop();
      // Without Redis it runs out by itself.
      await lease
        .release(redis)
        .catch((err: unknown) => log.debug({ err, job: name }, "a lease could not be given up"));
    },
  };
}
