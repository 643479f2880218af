import type { Presence } from "../realtime/rooms/presence.ts";
import type { Rooms } from "../realtime/rooms/rooms.ts";
import type { Clock } from "../store/clock.ts";
import type { ChannelPeople } from "../store/mongo/channel-people.ts";
import type { Mongo } from "../store/mongo/connect.ts";
import { followedChannelsIn } from "../store/mongo/followed-channels.ts";
import type { Follows } from "../store/mongo/follows.ts";
import { moderationActionsIn } from "../store/mongo/moderation-actions.ts";
import type { Streams } from "../store/mongo/streams.ts";
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
import { createModeration } from "./moderation/moderation.ts";
import type { Points } from "./points/points.ts";

export type FeatureDeps = {
  mongo: Mongo;
  clock: Clock;
  streams: Streams;
  people: ChannelPeople;
  follows: Follows;
  rooms: Pick<Rooms, "findMessage" | "connections" | "forgetFollow">;
  presence: Presence;
  identity: Pick<Identity, "isStaff" | "requireUser" | "usersByIds">;
  outbox: Outbox;
  points: Points;
  broadcasts: IngestDeps["broadcasts"] & ChannelDeps["broadcasts"];
  masterKey: string;
  /** Where encoders publish to. */
  ingestUrl: string;
};

/** What has no machine of its own: channels, follows, presence, moderation, ingest. */
export function createFeatures(deps: FeatureDeps) {
  const { mongo, clock, streams, people, follows, rooms, presence, identity, outbox, points, broadcasts } =
    deps;
  const changes = createRoomChanges({ mongo, streams, outbox });
  const sealing = createSealing(deps.masterKey);
  const { ingestUrl } = deps;
  const channels = createChannels({ streams, changes, sealing, presence, broadcasts, ingestUrl, clock });
  return {
    channels,
    liveStreams: createLiveStreams({ streams, usersByIds: identity.usersByIds, summary: userSummary }),
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
    watching: createWatching({ streams, presence, points }),
    moderation: createModeration({
      changes,
      actions: moderationActionsIn(mongo.db),
      clock,
      people,
      standings: createStandings({ people, isStaff: identity.isStaff }),
      requireUser: identity.requireUser,
      requireStream: channels.require,
      findMessage: rooms.findMessage,
      connections: rooms.connections,
    }),
    ingest: createIngest({ streams, broadcasts }),
  };
}

export type Features = ReturnType<typeof createFeatures>;
