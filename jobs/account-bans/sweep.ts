import type { Sanctions } from "../../actors/safety/sanctions.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { repeatAlone } from "../schedule/repeat-alone.ts";

type Deps = { sanctions: Pick<Sanctions, "sweep">; redis: RedisConnection; log: Log; intervalMs?: number };

/** Ends what bans have to end, for when the process that banned has died. One worker does it at a time. */
export function startBanSweep({ sanctions, redis, log, intervalMs = 1_000 }: Deps) {
  return repeatAlone("account-bans", () => sanctions.sweep(), { key: keys.banLease, redis, intervalMs, log });
}
