import type { Hosting } from "../../actors/channels/hosting.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createLease } from "../schedule/lease.ts";
import { repeat } from "../schedule/repeat.ts";

type Deps = { hosting: Pick<Hosting, "sweep">; redis: RedisConnection; log: Log; intervalMs?: number };

/** Auto-hosts of channels whose broadcast has ended, and the end of those whose target has. One worker does it at a time. */
export function startHostingSweep({ hosting, redis, log, intervalMs = 5_000 }: Deps) {
  const lease = createLease(keys.hostingLease);
  const sweep = async () => {
    if (await lease.hold(redis)) await hosting.sweep();
  };
  return repeat("hosting", sweep, intervalMs, log);
}
