import type { Audit } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import type { ModerationActions } from "../../store/mongo/moderation-actions.ts";
import type { RoomChanges } from "../channels/room-changes.ts";
import type { UsersByIds } from "./action-view.ts";
import { createActs } from "./acts.ts";
import { createMessageActs, type MessageDeps } from "./messages.ts";
import { createPeopleActs, type PeopleDeps } from "./people.ts";
import { createSettingsActs, type SettingsDeps } from "./settings.ts";

export type ModerationDeps = Omit<PeopleDeps & MessageDeps & SettingsDeps, "acts"> & {
  changes: RoomChanges;
  actions: ModerationActions;
  usersByIds: UsersByIds;
  audit: Audit;
  clock: Clock;
};

/**
 * Everything that moderators do in a room, for REST and the sockets alike. Whoever calls has
 * checked the caller's right to moderate the channel; it is looked at again here, with whom one may act on, when the act is
 * written.
 */
export function createModeration({ changes, actions, usersByIds, audit, clock, ...deps }: ModerationDeps) {
  const acts = createActs({ changes, actions, usersByIds, standings: deps.standings, audit, clock });
  return {
    ...createPeopleActs({ ...deps, acts }),
    ...createMessageActs({ ...deps, acts }),
    updateSettings: createSettingsActs({ ...deps, acts }).update,
  };
}

export type Moderation = ReturnType<typeof createModeration>;
