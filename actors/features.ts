import type { Presence } from "../realtime/rooms/presence.ts";
import type { Rooms } from "../realtime/rooms/rooms.ts";
import type { Audit } from "../store/audit.ts";
import type { Clock } from "../store/clock.ts";
import type { Log } from "../store/log.ts";
import { categoriesIn } from "../store/mongo/categories.ts";
import type { ChannelPeople } from "../store/mongo/channel-people.ts";
import { chatMessagesIn } from "../store/mongo/chat-messages.ts";
import type { Mongo } from "../store/mongo/connect.ts";
import { followedChannelsIn } from "../store/mongo/followed-channels.ts";
import type { Follows } from "../store/mongo/follows.ts";
import { listedStreamsIn } from "../store/mongo/listed-streams.ts";
import { moderationActionsIn } from "../store/mongo/moderation-actions.ts";
import type { Streams } from "../store/mongo/streams.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import { createRateLimits } from "../store/redis/rate-limits.ts";
import { createCategories } from "./channels/categories.ts";
import { type ChannelDeps, createChannels } from "./channels/channels.ts";
import { createFollowing } from "./channels/following.ts";
import { createLiveStreams } from "./channels/live-streams.ts";
import { createRoomChanges } from "./channels/room-changes.ts";
import { createStandings } from "./channels/standings.ts";
import { createWatching } from "./channels/watching.ts";
import type { Outbox } from "./host/outbox.ts";
import type { Identity } from "./identity/identity.ts";
import { createSealing } from "./identity/sealing.ts";
import { userSummary } from "./identity/views.ts";
import { createIngest, type IngestDeps } from "./ingest/ingest.ts";
import { DELETES } from "./moderation/messages.ts";
import { createModeration } from "./moderation/moderation.ts";
import type { Points } from "./points/points.ts";

export type FeatureDeps = {
  mongo: Mongo;
  audit: Audit;
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  streams: Streams;
  people: ChannelPeople;
  follows: Follows;
  rooms: Pick<Rooms, "findPlaced" | "connections" | "forgetFollow" | "identityOf">;
  presence: Presence;
  identity: Pick<Identity, "isStaff" | "requireUser" | "usersByIds">;
  outbox: Outbox;
  points: Points;
  broadcasts: IngestDeps["broadcasts"] & ChannelDeps["broadcasts"];
  masterKey: string;
  /** Where encoders publish to. */
  ingestUrl: string;
};

/** Domain rules without a lifecycle: channels, follows, presence, moderation, ingest. */
export function createFeatures(deps: FeatureDeps) {
  const {
    mongo,
    audit,
    clock,
    streams,
    people,
    follows,
    rooms,
    presence,
    identity,
    outbox,
    points,
    broadcasts,
  } = deps;
  const changes = createRoomChanges({ mongo, streams, outbox });
  const sealing = createSealing(deps.masterKey);
  const { ingestUrl, redis, log } = deps;
  const limits = createRateLimits({ redis, log, buckets: { deletes: DELETES } });
  const categories = createCategories({ categories: categoriesIn(mongo.db), clock });
  const channels = createChannels({
    streams,
    changes,
    categories,
    sealing,
    presence,
    broadcasts,
    ingestUrl,
    audit,
    clock,
  });
  return {
    channels,
    categories,
    liveStreams: createLiveStreams({
      streams: listedStreamsIn(mongo.db),
      clock,
      categories,
      usersByIds: identity.usersByIds,
      summary: userSummary,
    }),
    following: createFollowing({
      client: mongo.client,
      follows,
      followed: followedChannelsIn(mongo.db),
      streams,
      requireUser: identity.requireUser,
      usersByIds: identity.usersByIds,
      forgetFollow: rooms.forgetFollow,
      points,
      clock,
    }),
    watching: createWatching({ requireRoom: rooms.identityOf, streams, presence, points, log }),
    moderation: createModeration({
      changes,
      actions: moderationActionsIn(mongo.db),
      usersByIds: identity.usersByIds,
      audit,
      clock,
      people,
      standings: createStandings({ people, isStaff: identity.isStaff }),
      requireUser: identity.requireUser,
      requireStream: channels.require,
      findPlaced: rooms.findPlaced,
      archive: chatMessagesIn(mongo.db),
      takeDelete: (userId) => limits.take("deletes", userId),
      connections: rooms.connections.count,
    }),
    ingest: createIngest({ streams, broadcasts }),
  };
}

export type Features = ReturnType<typeof createFeatures>;
