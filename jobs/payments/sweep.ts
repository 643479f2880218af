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

/** Applies reports of payments that were received and left. One worker at a time. */
export function startPaymentReports({ billing, redis, log, intervalMs = 1_000 }: Deps) {
  const options = { key: keys.paymentsLease, redis, intervalMs, log };
  return repeatAlone("payments", billing.hooks.sweep, options);
}

/** Tells the payment platform what was decided here, by itself: a platform that hangs keeps no report waiting. */
export function startPlatformCalls({ billing, redis, log, intervalMs = 1_000 }: Deps) {
  const options = { key: keys.platformCallsLease, redis, intervalMs, log };
  return repeatAlone("platform-calls", billing.calls.sweep, options);
}
