import type { HookIntake } from "../../actors/hooks/intake.ts";
import type { PlatformCalls } from "../../actors/payments/call-sweep.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { repeatAlone } from "../schedule/repeat-alone.ts";

type Deps = {
  billing: { hooks: Pick<HookIntake, "sweep">; calls: Pick<PlatformCalls, "sweep"> };
  redis: RedisConnection;
  log: Log;
  intervalMs?: number;
};

/** Applies reports that were received and left, and tells the payment platform what was decided here. One worker at a time. */
export function startPayments({ billing, redis, log, intervalMs = 1_000 }: Deps) {
  const sweep = async () => {
    await billing.hooks.sweep();
    await billing.calls.sweep();
  };
  return repeatAlone("payments", sweep, { key: keys.paymentsLease, redis, intervalMs, log });
}
