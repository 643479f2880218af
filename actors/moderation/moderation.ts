import type { Rooms } from "../../realtime/rooms/rooms.ts";
import type { Audit } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { ChannelPeople } from "../../store/mongo/channel-people.ts";
import { chatMessagesIn } from "../../store/mongo/chat-messages.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { moderationActionsIn } from "../../store/mongo/moderation-actions.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createRateLimits } from "../../store/redis/rate-limits.ts";
import type { ChannelRoles } from "../channels/channel-roles.ts";
import type { Channels } from "../channels/channels.ts";
import type { RoomChanges } from "../channels/room-changes.ts";
import type { Identity } from "../identity/identity.ts";
import { createMessageActions, DELETES } from "./messages.ts";
import { createModerationLog } from "./moderation-log.ts";
import { createPeopleActions } from "./people.ts";
import { createSettingsActions } from "./settings.ts";

type Deps = {
  mongo: Mongo;
  redis: RedisConnection;
  audit: Audit;
  clock: Clock;
  log: Log;
  changes: RoomChanges;
  people: ChannelPeople;
  channelRoles: ChannelRoles;
  identity: Pick<Identity, "requireUser" | "usersByIds">;
  channels: Pick<Channels, "require">;
  rooms: Pick<Rooms, "findPlaced" | "connections">;
};

/**
 * Everything that moderators do in a room, for REST and the sockets alike. The right to moderate the channel is checked
 * before; it is checked again here, with whom one may act on, when the action is written.
 */
export function createModeration(deps: Deps) {
  const { mongo, redis, audit, clock, log, changes, people, channelRoles, identity, channels, rooms } = deps;
  const { requireUser, usersByIds } = identity;
  const limits = createRateLimits({ redis, log, buckets: { deletes: DELETES } });
  const actions = moderationActionsIn(mongo.db);
  const moderationLog = createModerationLog({ changes, actions, usersByIds, channelRoles, audit, clock });
  return {
    ...createPeopleActions({ moderationLog, people, requireUser }),
    ...createMessageActions({
      moderationLog,
      takeDelete: (userId) => limits.take("deletes", userId),
      channelRoles,
      requireStream: channels.require,
      findPlaced: rooms.findPlaced,
      archive: chatMessagesIn(mongo.db),
    }),
    updateSettings: createSettingsActions({ moderationLog, connections: rooms.connections.count }).update,
  };
}

export type Moderation = ReturnType<typeof createModeration>;
