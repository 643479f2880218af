import type { BannedSellers } from "../../actors/payments/banned-sellers.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { repeatAlone } from "../schedule/repeat-alone.ts";

type Deps = {
  billing: { bannedSellers: Pick<BannedSellers, "sweep"> };
  redis: RedisConnection;
  log: Log;
  intervalMs?: number;
};

/** Nothing is billed any more for the channels of banned accounts. One worker at a time. */
export function startBannedSellers({ billing, redis, log, intervalMs = 1_000 }: Deps) {
  const options = { key: keys.bannedSellersLease, redis, intervalMs, log };
  return repeatAlone("banned-sellers", () => billing.bannedSellers.sweep(), options);
}
