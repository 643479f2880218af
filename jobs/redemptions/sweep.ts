import type { Redemptions } from "../../actors/redemption/redemptions.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createLease } from "../schedule/lease.ts";
import { repeat } from "../schedule/repeat.ts";

type Deps = {
  redemptions: Pick<Redemptions, "refundForgotten">;
  redis: RedisConnection;
  log: Log;
  intervalMs?: number;
};

/** Refunds what has been pending for 30 days. One worker does it at a time. */
export function startForgottenRedemptions({ redemptions, redis, log, intervalMs = 60_000 }: Deps) {
  const lease = createLease(keys.redemptionsLease);
  const sweep = async () => {
    if (await lease.hold(redis)) await redemptions.refundForgotten();
  };
  return repeat("redemptions", sweep, intervalMs, log);
}
