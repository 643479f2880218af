import type { ModerationAction, StaffModerationAction, UserSummary } from "../../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import {
  type ModerationActionDoc,
  type ModerationActionType,
  PUBLIC_ACTIONS,
  STAFF_ACTOR,
} from "../../../store/mongo/chat/moderation-actions.ts";
import { summaryOf } from "../../accounts/public.ts";

export type UsersByIds = (userIds: string[]) => Promise<ReadonlyMap<string, UserWithoutSecrets>>;

const isPublic = (action: string): action is ModerationActionType =>
  PUBLIC_ACTIONS.some((one) => one === action);

/** The entries in wire format, in the given order. Actions that have no value in the wire's enumeration are left out. */
export async function moderationActionViews(
  entries: readonly ModerationActionDoc[],
  usersByIds: UsersByIds,
): Promise<ModerationAction[]> {
  const views = await staffActionViews(entries, usersByIds);
  return views.flatMap(({ action, ...view }) => (isPublic(action) ? [{ ...view, action }] : []));
}

/** Whoever acted, or was acted on: of staff it isn't said who it was. */
export function actorSummary(userId: string, users: ReadonlyMap<string, UserWithoutSecrets>): UserSummary {
  if (userId === STAFF_ACTOR)
    return { id: userId, username: "staff", username_title: "Staff", image_url: null };
  return summaryOf(userId, users.get(userId));
}

/** The entries as staff see them: all actions, in the given order. */
export async function staffActionViews(
  entries: readonly ModerationActionDoc[],
  usersByIds: UsersByIds,
): Promise<StaffModerationAction[]> {
  const ids = entries.flatMap(({ actorId, targetId }) => [actorId, ...(targetId ? [targetId] : [])]);
  const users = ids.length > 0 ? await usersByIds([...new Set(ids)]) : new Map<string, UserWithoutSecrets>();
  const summary = (userId: string) => actorSummary(userId, users);
  return entries.map((entry) => ({
    id: entry._id,
    room_id: String(entry.roomId),
    actor: summary(entry.actorId),
    target: entry.targetId === null ? null : summary(entry.targetId),
    action: entry.action,
    reason: entry.reason,
    duration_seconds: entry.durationSeconds,
    created_at: entry.createdAt.toISOString(),
  }));
}
