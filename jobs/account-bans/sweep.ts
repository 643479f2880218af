import type { Sanctions } from "../../actors/safety/sanctions.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createLease } from "../schedule/lease.ts";
import { repeat } from "../schedule/repeat.ts";

type Deps = { sanctions: Pick<Sanctions, "sweep">; redis: RedisConnection; log: Log; intervalMs?: number };

/** Ends what bans have to end, for when the process that banned has died. One worker does it at a time. */
export function startBanSweep({ sanctions, redis, log, intervalMs = 1_000 }: Deps) {
  const lease = createLease(keys.banLease);
  const sweep = async () => {
    if (await lease.hold(redis)) await sanctions.sweep();
  };
  return repeat("account-bans", sweep, intervalMs, log);
}
