import type { Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import type { GrantedRoles } from "../../../store/mongo/channels/channel-roles.ts";
import { actTextsIn } from "../../../store/mongo/chat/act-texts.ts";
import { blockedTermsIn } from "../../../store/mongo/chat/blocked-terms.ts";
import type { ChatBans } from "../../../store/mongo/chat/chat-bans.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { heldDecisionsIn } from "../../../store/mongo/chat/held-decisions.ts";
import { memberNotesIn } from "../../../store/mongo/chat/member-notes.ts";
import { type ActionFilter, moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { countersIn } from "../../../store/mongo/driver/counters.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { staffLogIn } from "../../../store/mongo/safety/staff-log.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { createRateLimits } from "../../../store/redis/rate-limits.ts";
import type { Directory } from "../../accounts/public.ts";
import type { ChannelAccess, ChannelRoles, Channels, RoomChanges } from "../../channels/public.ts";
import { keyedRequestsIn } from "../../host/keyed-requests.ts";
import type { Mentions } from "../mentions/mentions.ts";
import { moderationActionViews, staffActionViews } from "./action-view.ts";
import { createBlockedTerms } from "./blocked-terms.ts";
import { commandNoncesIn } from "./command-nonces.ts";
import { COMMANDS, createCommands } from "./commands.ts";
import { createHeldActions } from "./held.ts";
import { createMemberNotes } from "./member-notes.ts";
import { createMessageActions, DELETES } from "./messages.ts";
import { createModerationLog } from "./moderation-log.ts";
import { createPins } from "./pins.ts";
import { createRoleAndBanActions, type UnbanRequestEnd } from "./roles-and-bans.ts";
import { createSettingsActions } from "./settings.ts";

type Deps = {
  mongo: Mongo;
  redis: RedisConnection;
  audit: Audit;
  clock: Clock;
  log: Log;
  changes: RoomChanges;
  grantedRoles: GrantedRoles;
  chatBans: ChatBans;
  channelRoles: ChannelRoles;
  directory: Pick<Directory, "requireUser" | "requireByUsername" | "usersByIds">;
  channels: Pick<Channels, "require">;
  channelAccess: Pick<ChannelAccess, "requireVisible">;
  rooms: Pick<Rooms, "findPlaced" | "findMessage" | "connections" | "shareConfig" | "held">;
  mentions: Pick<Mentions, "note">;
  unbanRequests: UnbanRequestEnd;
};

/**
 * Everything that moderators do in a room, for both REST and sockets. Callers have checked the right to moderate the channel; it
 * is checked again here when the action is written, together with the right to act on the target.
 */
export function createModeration(deps: Deps) {
  const {
    mongo,
    redis,
    audit,
    clock,
    log,
    changes,
    grantedRoles,
    chatBans,
    channelRoles,
    directory,
    channels,
    channelAccess,
    rooms,
  } = deps;
  const { requireUser, usersByIds } = directory;
  const limits = createRateLimits({ redis, log, buckets: { deletes: DELETES, commands: COMMANDS } });
  const actions = moderationActionsIn(mongo.db);
  const moderationLog = createModerationLog({
    changes,
    actions,
    usersByIds,
    channelRoles,
    nonces: commandNoncesIn(mongo.db, clock),
    staffLog: staffLogIn(mongo.db),
    audit,
    clock,
    log,
  });
  const counters = countersIn(mongo.db);
  const rolesAndBans = createRoleAndBanActions({
    moderationLog,
    grantedRoles,
    chatBans,
    blocks: blocksIn(mongo.db),
    unbanRequests: deps.unbanRequests,
    requireUser,
  });
  const messages = createMessageActions({
    moderationLog,
    takeDelete: (userId) => limits.take("deletes", userId),
    channelRoles,
    requireStream: channels.require,
    findPlaced: rooms.findPlaced,
    archive: chatMessagesIn(mongo.db),
  });
  const settings = createSettingsActions({ moderationLog, connections: rooms.connections.count });
  return {
    blockedTerms: createBlockedTerms({
      moderationLog,
      terms: blockedTermsIn(mongo.db),
      newId: () => counters.take("blocked_terms"),
      shareConfig: rooms.shareConfig,
    }),
    ...rolesAndBans,
    ...messages,
    ...createCommands({
      takeCommand: (userId) => limits.take("commands", userId),
      rolesAndBans,
      messages,
      settings,
      channelRoles,
      requireStream: channels.require,
      requireVisible: channelAccess.requireVisible,
      requireByUsername: directory.requireByUsername,
    }),
    ...createHeldActions({
      moderationLog,
      changes,
      chatBans,
      usersByIds,
      clock,
      log,
      held: rooms.held,
      findMessage: rooms.findMessage,
      onApproved: deps.mentions.note,
      decisions: heldDecisionsIn(mongo.db),
      actTexts: actTextsIn(mongo.db),
    }),
    ...createMemberNotes({
      moderationLog,
      notes: memberNotesIn(mongo.db),
      keyed: keyedRequestsIn(mongo.db, clock),
      usersByIds,
      requireUser,
    }),
    ...createPins({ moderationLog, findMessage: rooms.findMessage }),
    updateSettings: settings.update,
    /** The public moderation log, newest first, filtered by the fields given. */
    async actionPage(filter: ActionFilter, range: Range) {
      const { items, ...page } = await actions.page(filter, { ...range, isPublic: true });
      return { ...page, items: await moderationActionViews(items, usersByIds) };
    },
    /** The same with the entries that the channel itself isn't shown. */
    async staffActionPage(filter: ActionFilter, range: Range) {
      const { items, ...page } = await actions.page(filter, { ...range, isPublic: false });
      return { ...page, items: await staffActionViews(items, usersByIds) };
    },
  };
}

export type Moderation = ReturnType<typeof createModeration>;
