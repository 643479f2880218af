/**
 * Everything that decides: lifecycles (`prediction`, `live-stream`, `raid`, run by `host`) and, in folders of their own, the
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
import { createRaids } from "./raid/raids.ts";

export type ActorsDeps = Publishers & {
  mongo: Mongo;
  /** A connection that fails fast. */
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  /** Called with how an open prediction stands, at most twice a second each; not durable. */
  onProgress?: OnProgress;
  metrics?: HostMetrics;
};

export type Actors = ReturnType<typeof createActors>;

/** All lifecycles on one host, and points, which they move. Routes get what offers a machine's actors under its name. */
export function createActors({ onProgress = () => undefined, ...given }: ActorsDeps) {
  const { mongo, clock } = given;
  const deps = { ...given, log: given.log.child({ area: "actors" }) };
  const outbox = createOutbox(deps);
  const definitions = definitionsIn(mongo.db);
  const machines = Object.values(definitions);
  const host = createHost({ ...deps, outbox, machines });
  const predictions = createPredictions({ mongo, host, definition: definitions.prediction, onProgress });
  return {
    host,
    machines,
    outbox,
    predictions,
    broadcasts: createBroadcasts({ mongo, host, definition: definitions.liveStream }),
    raids: createRaids({ mongo, host, definition: definitions.raid, clock }),
    points: createPoints({ mongo, clock, outbox }),
    /** Finishes what was taken; nothing new is accepted. */
    async stop(): Promise<void> {
      predictions.stop();
      await host.stop();
    },
  };
}
