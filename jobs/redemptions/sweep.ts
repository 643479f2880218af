import type { Redemptions } from "../../actors/redemption/redemptions.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { repeatAlone } from "../schedule/repeat-alone.ts";

type Deps = {
  redemptions: Pick<Redemptions, "refundExpired">;
  redis: RedisConnection;
  log: Log;
  intervalMs?: number;
};

/** Refunds what has been pending for 30 days. One worker does it at a time. */
export function startForgottenRedemptions({ redemptions, redis, log, intervalMs = 10_000 }: Deps) {
  return repeatAlone("redemptions", () => redemptions.refundExpired(), {
    key: keys.redemptionsLease,
    redis,
    intervalMs,
    log,
  });
}
