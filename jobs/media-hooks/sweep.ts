import type { HookIntake } from "../../actors/hooks/intake.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createLease } from "../schedule/lease.ts";
import { repeat } from "../schedule/repeat.ts";

type Deps = {
  media: { hooks: Pick<HookIntake, "sweep"> };
  redis: RedisConnection;
  log: Log;
  intervalMs?: number;
};

/** Applies what the media service reported and a dead process left. One worker at a time. */
export function startMediaHooks({ media, redis, log, intervalMs = 1_000 }: Deps) {
  const lease = createLease(keys.mediaHooksLease);
  const sweep = async () => {
    if (await lease.hold(redis)) await media.hooks.sweep();
  };
  return repeat("media hooks", sweep, intervalMs, log);
}
