import type { HookIntake } from "../../actors/hooks/intake.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { repeatAlone } from "../schedule/repeat-alone.ts";

type Deps = {
  media: { hooks: Pick<HookIntake, "sweep"> };
  redis: RedisConnection;
  log: Log;
  intervalMs?: number;
};

/** Applies what the media service reported and a dead process left. One worker at a time. */
export function startMediaHooks({ media, redis, log, intervalMs = 1_000 }: Deps) {
  return repeatAlone("media-hooks", () => media.hooks.sweep(), {
    key: keys.mediaHooksLease,
    redis,
    intervalMs,
    log,
  });
}
