import type { Db } from "mongodb";
import { type Clock, processClock } from "../../base/clock.ts";
import { nullIfUnavailable } from "../../base/failures/unavailable.ts";
import type { Log } from "../../base/log.ts";
import type { Position } from "../../base/room-position.ts";
import { type ErrorCode, ServiceError } from "../../contract/errors.ts";
import { isGone } from "../../store/mongo/accounts/account-status.ts";
import { usersIn } from "../../store/mongo/accounts/users.ts";
import type { GrantedRoles } from "../../store/mongo/channels/channel-roles.ts";
import type { Follows } from "../../store/mongo/channels/follows.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import type { ChatBans } from "../../store/mongo/chat/chat-bans.ts";
import { chatHiddenIn } from "../../store/mongo/chat/chat-hidden.ts";
import { chatMessagesIn } from "../../store/mongo/chat/chat-messages.ts";
import { isUnchecked } from "../../store/mongo/host/room-state-change.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { serverRuns } from "../../store/redis/server-run.ts";
import { createActMessages } from "./act-messages.ts";
import { createAdmission } from "./admission.ts";
import { createAdmissionQueue } from "./admission-queue.ts";
import { createBatchedLookup } from "./batched-lookup.ts";
import { createChatters } from "./chatters.ts";
import { createGlobalSets } from "./config/global-sets.ts";
import { configLoader } from "./config/load-config.ts";
import { factsReader } from "./config/load-facts.ts";
import { forgetFacts, readMember } from "./config/members.ts";
import { createRoomConfigs } from "./config/room-configs.ts";
import { createConnections } from "./connections.ts";
import { createHeldMessages } from "./held.ts";
import { createHiddenFilter } from "./hiding.ts";
import { createHistory } from "./history.ts";
import { createIdentities } from "./identities.ts";
import { createLog } from "./log.ts";
import { createLookupSlots } from "./lookup-slots.ts";
import { createPublication } from "./publication.ts";
import { createRoomState } from "./room-state.ts";
import { forgetFollow } from "./scripts/admit.ts";
import { endSession } from "./scripts/end-session.ts";
import type { TailHandlers } from "./shard-reader.ts";
import { createTail } from "./tail.ts";
import { createTextDecisions } from "./text-decisions.ts";
import type { PublishOutcome, PublishRequest, SendOutcome, SendRequest } from "./types.ts";

/**
 * Look-ups of rooms and old messages at once. With the batches of members' facts and follows (12) that leaves some twenty of a
 * worker's 50 connections to MongoDB (deploy/processes/workers/open-core.ts) to everything else.
 */
const LOOKUPS_AT_ONCE = 16;

/**
 * Rooms: admission, the ordered log, its history and the live tail. One per process.
 * With a `clock` its time is used for slow mode, limits, timeouts and follow ages (specs move it); without one the Redis
 * server's, so that workers' clocks needn't agree.
 */
export function createRooms(deps: {
  redis: RedisConnection;
  mongo: Db;
  streams: Streams;
  grantedRoles: GrantedRoles;
  chatBans: ChatBans;
  follows: Follows;
  clock?: Clock;
  /** Called for every refused message, for metrics. */
  onSendRefused?: (code: ErrorCode) => void;
  /** Called for every message that was admitted, once. */
  onAdmitted?: Parameters<typeof createAdmission>[0]["onAdmitted"];
  /** Called at least once for each text of an act that was published. */
  onActDecided?: Parameters<typeof createActMessages>[0]["onDecided"];
  log: Log;
}) {
  const { redis, mongo, streams, grantedRoles, chatBans, follows, log } = deps;
  const clock = deps.clock ?? processClock;
  const nowMs = () => deps.clock?.now() ?? null;
  const runs = serverRuns(redis);
  const slots = createLookupSlots(LOOKUPS_AT_ONCE);
  const queue = createAdmissionQueue({ log });
  const identities = createIdentities({ redis, streams, slots });
  const archive = chatMessagesIn(mongo);
  const hidden = chatHiddenIn(mongo);
  const owners = usersIn(mongo);
  const hiding = createHiddenFilter({ hidden, clearedUpTo: streams.clearedUpTo });
  const states = createRoomState({
    runs,
    streams,
    grantedRoles,
    chatBans,
    archive,
    hidden,
    owners,
    slots,
    clock,
  });
  const roomLog = createLog({ redis, runs, archive, hiding });
  const { history, replay, readAfter, messagesOf, messagePageOf, findMessage, findPlaced } = createHistory({
    log: roomLog,
    archive,
    hiding,
  });
  const loadConfig = configLoader({ mongo, streams });
  const configs = createRoomConfigs({ redis, load: (streamId) => slots.run(() => loadConfig(streamId)) });
  const globals = createGlobalSets({ mongo, log });
  const facts = createBatchedLookup(factsReader({ mongo, clock }));
  const followedSince = createBatchedLookup(async (pairs: readonly (readonly [string, string])[]) =>
    (await follows.since(pairs)).map((since) => since?.getTime() ?? 0),
  );
  const lookups = {
    globals: globals.current,
    configs,
    knownMember: (streamId: string, userId: string) => readMember(redis, streamId, userId),
    facts: (ownerId: string, userId: string, deadline: number) => facts([ownerId, userId], deadline),
    followsSince: (userId: string, ownerId: string, deadline: number) =>
      followedSince([userId, ownerId], deadline),
    hasChatted: (streamId: string, userId: string, deadline: number) =>
      slots.run(() => archive.hasChatted(streamId, userId), deadline),
  };
  const {
    onSendRefused = () => undefined,
    onAdmitted = () => undefined,
    onActDecided: onDecided = async () => undefined,
  } = deps;
  const decisions = createTextDecisions({ states, lookups, nowMs });
  const findReplied = (streamId: string, uuid: string) => slots.run(() => findMessage(streamId, uuid));
  const send = countingRefusals(
    createAdmission({ decisions, identities, clock, queue, findReplied, onAdmitted }),
    onSendRefused,
  );
  const actMessages = createActMessages({ decisions, identities, clock, onAdmitted, onDecided });
  const publishEvent = createPublication({ states, streams, hidden, nowMs });
  const connections = createConnections(redis);

  return {
    /**
     * A refusal is returned, not thrown. An acknowledgement means that the message is in the log. Throws not_found for an
     * unknown room, and unavailable while a store is unavailable or the worker has more messages than it can decide about: retry with the
     * same nonce.
     */
    send,
    /** What `send` would throw at once under overload, so that a caller can refuse without preparing anything; null otherwise. */
    refusalOfSends(): ServiceError | null {
      const refusal = queue.refusal();
      if (refusal) onSendRefused(refusal.code);
      return refusal;
    },
    /**
     * Publishes what happened outside of the room, each event once. The room decides about the text of an act only then: an event
     * that it holds or withholds counts as published. Throws what publications and decisions about texts throw.
     */
    publish(request: PublishRequest): Promise<PublishOutcome> {
      const { effects = [], ...event } = request;
      if (!isUnchecked(effects)) return publishEvent({ ...event, effects });
      const [{ unchecked }] = effects;
      return actMessages.publish(unchecked, event);
    },
    /** Messages that wait or are being decided about, and how many were refused for having waited too long. */
    admissionStats: queue.stats,
    checkActText: actMessages.check,
    history,
    replay,
    readAfter,
    messagesOf,
    messagePageOf,
    findMessage,
    findPlaced,
    /** The room's head. */
    position: async (streamId: string): Promise<Position> =>
      (await states.memberState(streamId, null)).position,
    memberState: states.memberState,
    /** False while the account of the room's owner is banned or deleted. Reads MongoDB. Throws not_found, unavailable. */
    async isOpen(streamId: string): Promise<boolean> {
      const { ownerId } = await identities.of(streamId);
      return !isGone(await owners.loadStanding(ownerId));
    },
    /** Throws not_found. */
    identityOf: identities.of,
    /** True when `identityOf` would answer from the cache. */
    isKnown: identities.isKnown,
    /** Somebody on this worker is in the room, so the worker keeps what it knows of it; call `release` once for each call. */
    hold: identities.hold,
    release: identities.release,
    /** From then on no room admits anything that the session sends. Throws unavailable. */
    endSession: (sessionId: string) => endSession(redis, sessionId),
    /** Somebody stopped following the room's owner. While Redis is unavailable the room notices within five minutes. */
    async forgetFollow(streamId: string, userId: string): Promise<void> {
      try {
        await forgetFollow(redis, streamId, userId);
      } catch (err) {
        if (!(err instanceof ServiceError) || err.code !== "unavailable") throw err;
        log.warn({ err, streamId }, "a room goes on taking somebody for a follower for some minutes");
      }
    },
    /**
     * Somebody follows or may write no longer, or may write again: there is or was a block. While Redis is unavailable the room
     * notices within five minutes.
     */
    async forgetMember(streamId: string, userId: string): Promise<void> {
      try {
        await forgetFollow(redis, streamId, userId);
        await forgetFacts(redis, streamId, userId);
      } catch (err) {
        if (!(err instanceof ServiceError) || err.code !== "unavailable") throw err;
        log.warn({ err, streamId }, "member facts stale: redis unavailable");
      }
    },
    /** Messages that wait for a moderator; at most 1,000 per room. */
    held: createHeldMessages(redis),
    /** Shares a room's configuration, of at least that version, with all workers through Redis, if the stores are available. */
    shareConfig: async (streamId: string, version: number): Promise<void> =>
      void (await nullIfUnavailable(() => configs.of(streamId, version))),
    /** Live sockets in rooms, over all workers. */
    connections,
    /** Signed-in users with sockets in rooms, over all workers. */
    chatters: createChatters(redis),
    log: roomLog,
    tail: (handlers: TailHandlers) => createTail({ redis, log, handlers }),
    /** Global emotes and badges as this worker knows them, at most two seconds old. */
    globalSets: globals.current,
    /** Starts to poll them; before that they are empty. */
    start: globals.start,
    stop: globals.stop,
    close: () => runs.close(),
  };
}

export type Rooms = ReturnType<typeof createRooms>;

type Send = (request: SendRequest) => Promise<SendOutcome>;

function countingRefusals(send: Send, onRefused: (code: ErrorCode) => void): Send {
  return async (request) => {
    try {
      const outcome = await send(request);
      if (!outcome.ok && outcome.code !== "held") onRefused(outcome.code);
      return outcome;
    } catch (err) {
      onRefused(err instanceof ServiceError ? err.code : "internal");
      throw err;
    }
  };
}
