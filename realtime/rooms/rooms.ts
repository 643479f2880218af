import type { Db } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import { type Clock, systemClock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { ChannelPeople } from "../../store/mongo/channel-people.ts";
import { chatMessagesIn } from "../../store/mongo/chat-messages.ts";
import type { Follows } from "../../store/mongo/follows.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { forgetFollow } from "../../store/redis/scripts/admit.ts";
import { endSession } from "../../store/redis/scripts/end-session.ts";
import { serverRuns } from "../../store/redis/server-run.ts";
import { createAdmission } from "./admission.ts";
import { createConnections } from "./connections.ts";
import { createControl } from "./control.ts";
import { createHistory } from "./history.ts";
import { createLog } from "./log.ts";
import { createPublication } from "./publication.ts";
import { createRoomState } from "./room-state.ts";
import { createTail, type TailHandlers } from "./tail.ts";
import type { Position } from "./types.ts";

/**
 * Rooms: admission, the ordered log, its history and the live tail. One per process.
 * With a `clock` its time rules slow mode, limits, timeouts and follow ages (specs move it); without one the
 * Redis server's own does, so that workers' clocks needn't agree.
 */
export function createRooms(deps: {
  redis: RedisConnection;
  mongo: Db;
  streams: Streams;
  people: ChannelPeople;
  follows: Follows;
  clock?: Clock;
  log: Log;
}) {
  const { redis, mongo, streams, people, follows, log } = deps;
  const clock = deps.clock ?? systemClock;
  const nowMs = () => deps.clock?.now() ?? null;
  const runs = serverRuns(redis);
  const states = createRoomState({ runs, streams, people, clock });
  const roomLog = createLog(redis);
  const { history, findMessage } = createHistory({ log: roomLog, archive: chatMessagesIn(mongo) });
  const connections = createConnections(redis);
  const control = createControl({ redis, log });

  return {
    /**
     * A refusal is a value. An acknowledgement means that the message is in the log. Throws not_found for an
     * unknown room, and unavailable while a store is away: repeat it with the same nonce.
     */
    send: createAdmission({ states, follows, clock, nowMs, findReplied: findMessage }),
    publish: createPublication({ states, control, nowMs }),
    history,
    findMessage,
    /** The room's head. */
    position: async (streamId: string): Promise<Position> => (await states.standing(streamId, null)).position,
    standing: states.standing,
    identityOf: states.identityOf,
    /** Nothing that the session sends is admitted any more, to any room. Throws unavailable. */
    endSession: (sessionId: string) => endSession(redis, sessionId),
    /** Somebody has stopped following the room's owner. While Redis is away the room finds out within five minutes. */
    async forgetFollow(streamId: string, userId: string): Promise<void> {
      try {
        await forgetFollow(redis, streamId, userId);
      } catch (err) {
        if (!(err instanceof ServiceError) || err.code !== "unavailable") throw err;
        log.warn({ err, streamId }, "a room goes on taking somebody for a follower for some minutes");
      }
    },
    /** Live sockets in the room, over all workers. */
    connections: (streamId: string) => connections.count(streamId),
    reportConnections: connections.report,
    log: roomLog,
    tail: (handlers: TailHandlers) => createTail({ redis, log, handlers }),
    close: () => runs.close(),
  };
}

export type Rooms = ReturnType<typeof createRooms>;
