import { createActors } from "../actors/actors.ts";
import { createFeatures } from "../actors/features.ts";
import type { HostMetrics } from "../actors/host/metrics.ts";
import { createIdentity } from "../actors/identity/identity.ts";
import { createControl } from "../realtime/rooms/control.ts";
import { createPresence } from "../realtime/rooms/presence.ts";
import { createRooms } from "../realtime/rooms/rooms.ts";
import { createUserEvents } from "../realtime/rooms/user-events.ts";
import type { ErrorCode } from "../specs/contract/errors.ts";
import type { Audit } from "../store/audit.ts";
import { type Clock, systemClock } from "../store/clock.ts";
import type { Log } from "../store/log.ts";
import { channelPeopleIn } from "../store/mongo/channel-people.ts";
import type { Mongo } from "../store/mongo/connect.ts";
import { followsIn } from "../store/mongo/follows.ts";
import { streamsIn } from "../store/mongo/streams.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";

export type Core = ReturnType<typeof createCore>;

/**
 * What every kind of worker is made of: the domain over the two stores. Processes and specs compose the same
 * thing; a spec hands in a clock that it moves itself. `start` before use, `stop` before the stores close.
 */
export function createCore(deps: {
  mongo: Mongo;
  /** Fails fast. */
  redis: RedisConnection;
  log: Log;
  audit: Audit;
  masterKey: string;
  /** Where encoders publish to: what owners see as `server_url`. */
  ingestUrl: string;
  clock?: Clock;
  measures?: HostMetrics;
  /** Told of every message that a room refuses, by whichever door it came. */
  onSendRefused?: (code: ErrorCode) => void;
}) {
  const { mongo, redis, log, audit, masterKey } = deps;
  const clock = deps.clock ?? systemClock;
  const moved = deps.clock ? { clock: deps.clock } : {};
  const streams = streamsIn(mongo.db);
  const people = channelPeopleIn(mongo.db);
  const follows = followsIn(mongo.db);

  const onSendRefused = deps.onSendRefused ?? (() => undefined);
  const rooms = createRooms({
    redis,
    mongo: mongo.db,
    streams,
    people,
    follows,
    ...moved,
    onSendRefused,
    log,
  });
  const presence = createPresence({ redis, ...moved });
  const userEvents = createUserEvents({ redis, log });
  const control = createControl({ redis, log });
  const identity = createIdentity({
    mongo,
    redis,
    clock,
    log,
    audit,
    masterKey,
    publishRevoked: async (revocation) => {
      // Rooms first: what is sent after the answer isn't admitted, however late a worker hears of it.
      try {
        if (revocation.sessionId !== null) await rooms.endSession(revocation.sessionId);
      } finally {
        await control.publish({ type: "session.revoked", ...revocation });
      }
    },
  });
  const actors = createActors({
    mongo,
    redis,
    clock,
    log,
    ...(deps.measures ? { measures: deps.measures } : {}),
    publishRoom: (event) => rooms.publish(event),
    publishUsers: userEvents.publish,
    onProgress: (streamId, prediction) => {
      const event = { type: "prediction.progress", data: prediction };
      control.publish({ type: "room.notice", streamId, event }).catch((err: unknown) => {
        log.debug({ err, streamId }, "a prediction's progress could not be shown");
      });
    },
  });
  const features = createFeatures({
    mongo,
    audit,
    redis,
    clock,
    log,
    streams,
    people,
    follows,
    rooms,
    presence,
    identity,
    outbox: actors.outbox,
    points: actors.points,
    broadcasts: actors.broadcasts,
    masterKey,
    ingestUrl: deps.ingestUrl,
  });

  return {
    mongo,
    redis,
    log,
    audit,
    clock,
    streams,
    people,
    follows,
    rooms,
    presence,
    userEvents,
    control,
    identity,
    host: actors.host,
    machines: actors.machines,
    outbox: actors.outbox,
    predictions: actors.predictions,
    broadcasts: actors.broadcasts,
    points: actors.points,
    ...features,
    start: () => identity.start(),
    /** Nothing is under way any more when it resolves. */
    async stop(): Promise<void> {
      await actors.stop();
      await actors.outbox.idle();
      await Promise.all([identity.stop(), userEvents.close(), control.close(), rooms.close()]);
    },
  };
}
