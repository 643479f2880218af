/**
 * Everything that decides: lifecycles (`prediction`, `live-stream`, run by `host`) and, in folders of their own, the
 * domain rules without one (`channels`, `identity`, `ingest`, `moderation`, `points`; put together in features.ts).
 */
import type { Clock } from "../store/clock.ts";
import type { Log } from "../store/log.ts";
import type { Mongo } from "../store/mongo/connect.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import { definitionsIn } from "./definitions.ts";
import { createHost } from "./host/host.ts";
import type { HostMetrics } from "./host/metrics.ts";
import { createOutbox, type Publishers } from "./host/outbox.ts";
import { createBroadcasts } from "./live-stream/broadcasts.ts";
import { createPoints } from "./points/points.ts";
import { createPredictions } from "./prediction/predictions.ts";
import type { OnProgress } from "./prediction/progress.ts";

export type ActorsDeps = Publishers & {
  mongo: Mongo;
  /** A connection that fails fast. */
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  /** Called with how an open prediction stands, at most twice a second each; not durable. */
  onProgress?: OnProgress;
  measures?: HostMetrics;
};

export type Actors = ReturnType<typeof createActors>;

/** All lifecycles on one host, and points, which they move. */
export function createActors(deps: ActorsDeps) {
  const { mongo, redis, clock } = deps;
  const log = deps.log.child({ area: "actors" });
  const outbox = createOutbox({ ...deps, log });
  const definitions = definitionsIn(mongo.db);
  const { prediction, liveStream } = definitions;
  const machines = Object.values(definitions);
  const measured = deps.measures ? { measures: deps.measures } : {};
  const host = createHost({ mongo, redis, clock, log, outbox, machines, ...measured });
  const onProgress = deps.onProgress ?? (() => undefined);
  const predictions = createPredictions({ mongo, host, definition: prediction, onProgress });
  return {
    host,
    machines,
    outbox,
    predictions,
    broadcasts: createBroadcasts({ mongo, host, definition: liveStream }),
    points: createPoints({ mongo, clock, outbox }),
    /** Finishes what was taken; nothing new is accepted. */
    async stop(): Promise<void> {
      predictions.stop();
      await host.stop();
    },
  };
}
