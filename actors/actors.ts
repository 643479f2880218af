/**
 * All domain decisions: actors with a lifecycle (`prediction`, `live-stream`, `raid` …: definitions.ts), run by `host`, and, in
 * folders of their own, domain rules without a lifecycle (`channels`, `identity`, `safety` …: features.ts).
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Meter } from "../base/metrics.ts";
import type { Mongo } from "../store/mongo/driver/connect.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import { createPolls } from "./chat/poll/polls.ts";
import { definitionsIn } from "./definitions.ts";
import { createHost } from "./host/host.ts";
import { HOST_METRICS, MAILBOX_METRICS } from "./host/metrics.ts";
import { createOutbox, type Publishers } from "./host/outbox.ts";
import type { OnProgress } from "./host/progress.ts";
import { createBroadcasts } from "./live/live-stream/broadcasts.ts";
import { createSubscriptions } from "./monetization/subscription/subscriptions.ts";
import { createPoints } from "./points/ledger/points.ts";
import { createPredictions } from "./points/prediction/predictions.ts";
import { createRedemptions } from "./points/redemption/redemptions.ts";
import { createRewards } from "./points/reward/rewards.ts";
import type { ShowsRaidMessage } from "./raids/raid/definition.ts";
import { createRaids } from "./raids/raid/raids.ts";
import { createReports } from "./safety/report/reports.ts";

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
  showsRaidMessage?: ShowsRaidMessage;
  /** Whether a media service reports when a broadcast has a picture. If not, it is assumed 5 s after the publisher connected. */
  waitsForMedia?: boolean;
};

export type Actors = ReturnType<typeof createActors>;

/** All lifecycles on one host, and points, which they transfer. Routes get the API of each machine's actors under its name. */
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
  const definitions = definitionsIn(mongo.db, { log: deps.log, meter, showsRaidMessage });
  const machines = Object.values(definitions);
  const host = createHost({ ...deps, outbox, machines });
  meter.read(MAILBOX_METRICS, () => host.depth());
  const predictions = createPredictions({ mongo, host, definition: definitions.prediction, onProgress });
  const polls = createPolls({ mongo, host, definition: definitions.poll, onProgress });
  return {
    host,
    machines,
    outbox,
    predictions,
    polls,
    subscriptions: createSubscriptions({ mongo, host, definition: definitions.subscription, clock }),
    raids: createRaids({ mongo, host, definition: definitions.raid, clock }),
    broadcasts: createBroadcasts({ mongo, host, definition: definitions.liveStream, waitsForMedia }),
    rewards: createRewards({ mongo, host, definition: definitions.reward }),
    redemptions: createRedemptions({ ...deps, host, definition: definitions.redemption }),
    reports: createReports({ mongo, host, definition: definitions.report, clock }),
    points: createPoints({ mongo, clock, outbox }),
    /** Graceful shutdown: finishes accepted commands and accepts no new ones. */
    async stop(): Promise<void> {
      predictions.stop();
      polls.stop();
      await host.stop();
    },
  };
}
