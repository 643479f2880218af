/**
 * All domain decisions: actors with a lifecycle (`points/prediction`, `live/live-stream`, `raids/raid` …), run by `host`, and domain
 * rules without one (features.ts).
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Meter } from "../base/metrics.ts";
import type { Mongo } from "../store/mongo/driver/connect.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import { defineAll, openAll } from "./generated/lifecycles.ts";
import { createHost } from "./host/host.ts";
import type { ShowsMessage } from "./host/lifecycle.ts";
import { HOST_METRICS, MAILBOX_METRICS } from "./host/metrics.ts";
import { createOutbox, type Publishers } from "./host/outbox.ts";
import type { OnProgress } from "./host/progress.ts";
import { createPoints } from "./points/ledger/points.ts";

export type ActorsDeps = Publishers & {
  mongo: Mongo;
  /** A connection that fails fast. */
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  /** Called with the current state of an open prediction or poll, throttled to twice a second each; not durable. */
  onProgress?: OnProgress;
  meter: Meter;
  /** Default: every message of a raid, for processes without rooms. */
  showsRaidMessage?: ShowsMessage;
  /** Whether a media service reports when a broadcast has a picture. If not, it is assumed 5 s after the publisher connected. */
  waitsForMedia?: boolean;
};

/** The calls of each lifecycle under its name. */
export type LifecycleCalls = ReturnType<typeof openAll>;

export type Actors = ReturnType<typeof createActors>;

/** All lifecycles on one host, and points, which they transfer. */
export function createActors({
  onProgress = () => undefined,
  waitsForMedia = false,
  showsRaidMessage = async () => true,
  meter,
  ...given
}: ActorsDeps) {
  const { mongo, clock } = given;
  const deps = { ...given, log: given.log.child({ area: "actors" }), metrics: meter.record(HOST_METRICS) };
  const outbox = createOutbox(deps);
  const definitions = defineAll({ db: mongo.db, log: deps.log, meter, showsRaidMessage });
  const machines = Object.values(definitions);
  const host = createHost({ ...deps, outbox, machines });
  meter.read(MAILBOX_METRICS, () => host.depth());
  const calls = openAll({ ...deps, host, onProgress, waitsForMedia }, definitions);
  const each = Object.values(calls);
  return {
    ...calls,
    host,
    machines,
    outbox,
    points: createPoints({ mongo, clock, outbox }),
    /** What a room's state has of the lifecycles, each part read by itself. */
    roomStates: each.flatMap((one) => ("roomState" in one ? [one.roomState] : [])),
    /** Graceful shutdown: finishes accepted commands and accepts no new ones. */
    async stop(): Promise<void> {
      for (const one of each) if ("stop" in one) one.stop();
      await host.stop();
    },
  };
}
