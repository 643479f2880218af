import type { ClientSession } from "mongodb";
import { ServiceError } from "../../../contract/errors.ts";
import type { RoomStateChange } from "../../../realtime/rooms/types.ts";
import { isGone } from "../../../store/mongo/accounts/account-status.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { Blocks } from "../../../store/mongo/channels/blocks.ts";
import type { ChannelRole, GrantedRoles } from "../../../store/mongo/channels/channel-roles.ts";
import type { ChatBans } from "../../../store/mongo/chat/chat-bans.ts";
import { mayActOn, mayGiveRoleTo, mayTakeRole } from "../../channels/public.ts";
import { type ModerationLog, type ModeratorRequest, ROLE_ACTIONS, type Rule } from "./moderation-log.ts";

/** An action on one user of a channel. */
export type TargetedAction = ModeratorRequest & { targetId: string };

/** Ends a user's pending unban request, whose ban is lifted in this transaction. */
export type UnbanRequestEnd = {
  banLifted(streamId: string, userId: string, at: Date, session: ClientSession): Promise<void>;
};

type RoleAndBanDeps = {
  moderationLog: ModerationLog;
  grantedRoles: GrantedRoles;
  chatBans: ChatBans;
  blocks: Pick<Blocks, "lockIfNeitherBlocks">;
  unbanRequests: UnbanRequestEnd;
  /** Throws `not_found` for an unknown user. */
  requireUser(userId: string): Promise<Pick<UserDoc, "_id" | "username" | "status">>;
};

/**
 * Bans, timeouts and roles. Each action is idempotent: it changes nothing if the wanted state is already reached. Throws
 * `self_target` on oneself, and `forbidden` on the owner, and for moderators acting on moderators.
 */
export function createRoleAndBanActions({
  moderationLog,
  grantedRoles,
  chatBans,
  blocks,
  unbanRequests,
  requireUser,
}: RoleAndBanDeps) {
  async function requireOther({ by, targetId }: TargetedAction) {
    if (by === targetId) throw new ServiceError("self_target");
    return requireUser(targetId);
  }

  const onTarget = ({ targetId }: TargetedAction): Rule => ({ targetId, allows: mayActOn });

  async function dropRoles(
    { streamId, targetId }: TargetedAction,
    session: ClientSession,
  ): Promise<ChannelRole[]> {
    const wasModerator = await grantedRoles.dropRole(streamId, targetId, "moderator", session);
    const wasVip = await grantedRoles.dropRole(streamId, targetId, "vip", session);
    return [...(wasModerator ? ["moderator" as const] : []), ...(wasVip ? ["vip" as const] : [])];
  }

  /** Throws `invalid_state` for a banned user. Checks by deleting the ban, which the throw rolls back, so there is no race. */
  async function refuseBanned({ streamId, targetId }: TargetedAction, session: ClientSession): Promise<void> {
    if (await chatBans.dropBan(streamId, targetId, "ban", session)) {
      throw new ServiceError("invalid_state", { status: "banned" });
    }
  }

  async function lift(action: TargetedAction, kind: "ban" | "timeout"): Promise<void> {
    await requireUser(action.targetId);
    await moderationLog.enforce(action, onTarget(action), async (stream, session) => {
      const { streamId, targetId: userId } = action;
      const lifted = await chatBans.dropBan(streamId, userId, kind, session);
      if (!lifted) return null;
      if (kind === "ban") await unbanRequests.banLifted(streamId, userId, moderationLog.now(), session);
      return {
        effects: [{ kind: "unban", userId }],
        log: [moderationLog.entry(stream, action, { action: kind === "ban" ? "unban" : "untimeout" })],
      };
    });
  }

  return {
    /**
     * Bans permanently. The user's messages disappear from the room's log, and the user loses the role of moderator or VIP.
     * Replaces a timeout.
     */
    async ban(action: TargetedAction, reason: string | null): Promise<void> {
      const { streamId, targetId: userId, by } = action;
      const { username } = await requireOther(action);
      await moderationLog.enforce(action, onTarget(action), async (stream, session) => {
        await chatBans.setBan(
          { streamId, userId, by, until: null, reason, createdAt: moderationLog.now() },
          session,
        );
        const dropped = await dropRoles(action, session);
        const ban: RoomStateChange = { kind: "ban", userId, untilMs: null };
        return {
          effects: dropped.length > 0 ? [ban, { kind: "role", userId, role: null }] : [ban],
          dropped,
          events: [{ type: "chat.user_banned", data: { user_id: userId, username } }],
          log: [moderationLog.entry(stream, action, { action: "ban", reason })],
        };
      });
    },

    unban: (action: TargetedAction) => lift(action, "ban"),

    /** Throws `invalid_state` for a banned user, since a timeout would shorten the ban. */
    async timeout(action: TargetedAction, durationSeconds: number, reason: string | null): Promise<void> {
      const { streamId, targetId: userId, by } = action;
      const { username } = await requireOther(action);
      const until = new Date(moderationLog.now().getTime() + durationSeconds * 1_000);
      await moderationLog.enforce(action, onTarget(action), async (stream, session) => {
        await refuseBanned(action, session);
        await chatBans.setBan(
          { streamId, userId, by, until, reason, createdAt: moderationLog.now() },
          session,
        );
        return {
          effects: [{ kind: "ban", userId, untilMs: until.getTime() }],
          events: [
            {
              type: "chat.user_timed_out",
              data: { user_id: userId, username, duration_seconds: durationSeconds },
            },
          ],
          log: [moderationLog.entry(stream, action, { action: "timeout", reason, durationSeconds })],
        };
      });
    },

    untimeout: (action: TargetedAction) => lift(action, "timeout"),

    /** Replaces the user's other role. Throws `blocked`, and `invalid_state` for a banned user. */
    async addRole(action: TargetedAction, role: ChannelRole): Promise<void> {
      const { streamId, targetId: userId, by: grantedBy } = action;
      // Bans and timeouts may concern a banned account, which is back one day. Roles are shown to everybody.
      if (isGone(await requireOther(action))) throw new ServiceError("not_found");
      await moderationLog.enforce(
        action,
        { targetId: userId, allows: mayGiveRoleTo },
        async (stream, session) => {
          if (!(await blocks.lockIfNeitherBlocks(stream.userId, userId, session)))
            throw new ServiceError("blocked");
          await refuseBanned(action, session);
          const had = await grantedRoles.dropRole(streamId, userId, role, session);
          await grantedRoles.setRole(
            { streamId, userId, role, grantedBy, createdAt: moderationLog.now() },
            session,
          );
          if (had) return null;
          return {
            effects: [{ kind: "role", userId, role }],
            log: [moderationLog.entry(stream, action, { action: ROLE_ACTIONS[role].granted })],
          };
        },
      );
    },

    /** Only the owner may revoke a role, from anyone including staff. */
    async removeRole(action: TargetedAction, role: ChannelRole): Promise<void> {
      const { streamId, targetId: userId } = action;
      await requireUser(userId);
      await moderationLog.enforce(
        action,
        { targetId: null, allows: mayTakeRole },
        async (stream, session) => {
          const held = await grantedRoles.dropRole(streamId, userId, role, session);
          if (!held) return null;
          return {
            effects: [{ kind: "role", userId, role: null }],
            log: [moderationLog.entry(stream, action, { action: ROLE_ACTIONS[role].revoked })],
          };
        },
      );
    },
  };
}

export type RoleAndBanActions = ReturnType<typeof createRoleAndBanActions>;
