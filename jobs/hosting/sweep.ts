import type { Hosting } from "../../actors/channels/hosting.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { repeatAlone } from "../schedule/repeat-alone.ts";

type Deps = { hosting: Pick<Hosting, "sweep">; redis: RedisConnection; log: Log; intervalMs?: number };

/** Auto-hosts of channels whose broadcast has ended, and the end of those whose target has. One worker does it at a time. */
export function startHostingSweep({ hosting, redis, log, intervalMs = 5_000 }: Deps) {
  return repeatAlone("hosting", () => hosting.sweep(), { key: keys.hostingLease, redis, intervalMs, log });
}
