import type { PublisherDrops } from "../../actors/ingest/publisher-drops.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { repeatAlone } from "../schedule/repeat-alone.ts";

type Deps = {
  publisherDrops: Pick<PublisherDrops, "sweep">;
  redis: RedisConnection;
  log: Log;
  intervalMs?: number;
};

/** Tells the RTMP server whom to drop. One worker at a time. */
export function startPublisherDrops({ publisherDrops, redis, log, intervalMs = 1_000 }: Deps) {
  return repeatAlone("publisher-drops", () => publisherDrops.sweep(), {
    ...{ key: keys.publisherDropsLease, redis, intervalMs, log },
  });
}
