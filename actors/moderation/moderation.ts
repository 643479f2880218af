import type { Audit } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import type { ModerationActions } from "../../store/mongo/moderation-actions.ts";
import type { RoomChanges } from "../channels/room-changes.ts";
import type { UsersByIds } from "./action-view.ts";
import { createMessageActions, type MessageDeps } from "./messages.ts";
import { createModerationLog } from "./moderation-log.ts";
import { createPeopleActions, type PeopleDeps } from "./people.ts";
import { createSettingsActions, type SettingsDeps } from "./settings.ts";

export type ModerationDeps = Omit<PeopleDeps & MessageDeps & SettingsDeps, "moderationLog"> & {
  changes: RoomChanges;
  actions: ModerationActions;
  usersByIds: UsersByIds;
  audit: Audit;
  clock: Clock;
};

/**
 * Everything that moderators do in a room, for REST and the sockets alike. The right to moderate the channel is checked
 * before; it is checked again here, with whom one may act on, when the action is written.
 */
export function createModeration({ changes, actions, usersByIds, audit, clock, ...deps }: ModerationDeps) {
  const moderationLog = createModerationLog({
    changes,
    actions,
    usersByIds,
    standings: deps.standings,
    audit,
    clock,
  });
  return {
    ...createPeopleActions({ ...deps, moderationLog }),
    ...createMessageActions({ ...deps, moderationLog }),
    updateSettings: createSettingsActions({ ...deps, moderationLog }).update,
  };
}

export type Moderation = ReturnType<typeof createModeration>;
