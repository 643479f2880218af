import type { Db } from "mongodb";
import { type ErrorCode, ServiceError } from "../../specs/contract/errors.ts";
import { type Clock, systemClock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { ChannelPeople } from "../../store/mongo/channel-people.ts";
import { chatHiddenIn } from "../../store/mongo/chat-hidden.ts";
import { chatMessagesIn } from "../../store/mongo/chat-messages.ts";
import type { Follows } from "../../store/mongo/follows.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { serverRuns } from "../../store/redis/server-run.ts";
import type { Position } from "../../store/room-position.ts";
import { createAdmission } from "./admission.ts";
import { createConnections } from "./connections.ts";
import { createHiding } from "./hiding.ts";
import { createHistory } from "./history.ts";
import { createIdentities } from "./identities.ts";
import { createLog } from "./log.ts";
import { createPublication } from "./publication.ts";
import { createRoomState } from "./room-state.ts";
import { forgetFollow } from "./scripts/admit.ts";
import { endSession } from "./scripts/end-session.ts";
import type { TailHandlers } from "./shard-reader.ts";
import { createTail } from "./tail.ts";
import type { SendOutcome, SendRequest } from "./types.ts";

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
  /** Called for every refused message, for metrics. */
  onSendRefused?: (code: ErrorCode) => void;
  log: Log;
}) {
  const { redis, mongo, streams, people, follows, log } = deps;
  const clock = deps.clock ?? systemClock;
  const nowMs = () => deps.clock?.now() ?? null;
  const runs = serverRuns(redis);
  const identities = createIdentities({ redis, streams });
  const archive = chatMessagesIn(mongo);
  const hidden = chatHiddenIn(mongo);
  const hiding = createHiding({ hidden, clearedUpTo: streams.clearedUpTo });
  const states = createRoomState({ runs, streams, people, archive, hidden, clock });
  const roomLog = createLog({ redis, runs, archive, hiding });
  const { history, findMessage, findPlaced } = createHistory({ log: roomLog, archive, hiding });
  const { onSendRefused = () => undefined } = deps;
  const send = countingRefusals(
    createAdmission({ states, identities, follows, clock, nowMs, findReplied: findMessage }),
    onSendRefused,
  );
  const connections = createConnections(redis);

  return {
    /**
     * A refusal is a value. An acknowledgement means that the message is in the log. Throws not_found for an
     * unknown room, and unavailable while a store is unavailable: repeat it with the same nonce.
     */
    send,
    publish: createPublication({ states, streams, hidden, nowMs }),
    history,
    findMessage,
    findPlaced,
    /** The room's head. */
    position: async (streamId: string): Promise<Position> =>
      (await states.memberState(streamId, null)).position,
    memberState: states.memberState,
    /** Throws not_found. */
    identityOf: identities.of,
    /** True when `identityOf` needs no look. */
    isKnown: identities.isKnown,
    /** This worker has somebody in the room, who keeps what it knows of it; `release` once for each time. */
    hold: identities.hold,
    release: identities.release,
    /** Nothing that the session sends is admitted any more, to any room. Throws unavailable. */
    endSession: (sessionId: string) => endSession(redis, sessionId),
    /** Somebody has stopped following the room's owner. While Redis is unavailable the room finds out within five minutes. */
    async forgetFollow(streamId: string, userId: string): Promise<void> {
      try {
        await forgetFollow(redis, streamId, userId);
      } catch (err) {
        if (!(err instanceof ServiceError) || err.code !== "unavailable") throw err;
        log.warn({ err, streamId }, "a room goes on taking somebody for a follower for some minutes");
      }
    },
    /** Live sockets in rooms, over all workers. */
    connections,
    log: roomLog,
    tail: (handlers: TailHandlers) => createTail({ redis, log, handlers }),
    close: () => runs.close(),
  };
}

export type Rooms = ReturnType<typeof createRooms>;

type Send = (request: SendRequest) => Promise<SendOutcome>;

function countingRefusals(send: Send, onRefused: (code: ErrorCode) => void): Send {
  return async (request) => {
    try {
      const outcome = await send(request);
      if (!outcome.ok) onRefused(outcome.code);
      return outcome;
    } catch (err) {
      onRefused(err instanceof ServiceError ? err.code : "internal");
      throw err;
    }
  };
}
