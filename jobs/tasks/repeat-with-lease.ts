import type { Clock } from "../../base/clock.ts";
import { MINUTE_MS } from "../../base/durations.ts";
import { isUnavailable } from "../../base/failures/unavailable.ts";
import type { Log } from "../../base/log.ts";
import { createOutageLog } from "../../base/outage-log.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createLease, LEASE_MS } from "./lease.ts";
import { bounded, MAX_ROUND_MS, repeat } from "./repeat.ts";

/** Work may begin when a third of the lease is over; then there is time for one that fails, and one more. */
const RENEW_MS = LEASE_MS / 4;

/**
 * Like `repeat`, but in one worker at a time, by the lease under `key`, which is renewed while `work` runs and released on
 * stop. Without Redis every worker runs it: the lease saves work and guarantees nothing, so `work` is idempotent, and what
 * it needs Redis for fails by itself. `isSure` says whether the lease is held; work that shouldn't be done twice at a time
 * checks it. Work that takes longer than `maxMs` loses the lease, so that another worker does it.
 */
export function repeatWithLease(
  name: string,
  work: (isSure: () => boolean) => Promise<unknown>,
  options: {
    key: string;
    redis: RedisConnection;
    intervalMs: number;
    clock: Clock;
    log: Log;
    maxMs?: number;
  },
) {
  const { key, redis, log, maxMs = MAX_ROUND_MS } = options;
  const lease = createLease(key);
  const outage = createOutageLog(log.child({ job: name }), "lease renewal");
  const renew = () => void lease.renew(redis).then(outage.succeeded, outage.failed);
  /** Without Redis it expires by itself. */
  const release = () =>
    lease
      .release(redis)
      .catch((err: unknown) => log.debug({ err, job: name }, "lease not released: expires by itself"));
  /** After a round that didn't end, so that another worker comes first. */
  let postponedUntil = 0;
  const mayWork = () =>
    lease.hold(redis).then(
      (isHeld) => {
        outage.succeeded();
        return isHeld;
      },
      (err: unknown) => {
        if (!isUnavailable(err)) throw err;
        log.debug({ err, job: name }, "a lease can't be taken; the job runs without one");
        return true;
      },
    );
  const running = repeat(
    name,
    async () => {
      if (performance.now() < postponedUntil || !(await mayWork())) return;
      const renewing = setInterval(renew, RENEW_MS);
      let isOver = false;
      let isRunning = true;
      const round = work(() => !isOver && lease.isSure()).finally(() => {
        isRunning = false;
      });
      try {
        await bounded(round, maxMs);
      } finally {
        isOver = true;
        clearInterval(renewing);
        if (isRunning) {
          postponedUntil = performance.now() + LEASE_MS;
          await release();
        }
      }
    },
    { ...options, maxMs: maxMs + MINUTE_MS },
  );
  return {
    async stop(): Promise<void> {
      await running.stop();
      await release();
    },
  };
}
