import type { ClientSession } from "mongodb";
import type { ChannelRole, GrantedRoles } from "../../store/mongo/channel-roles.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";

/** A user's role in one channel; null without a role. */
export type MemberRole = "owner" | "staff" | ChannelRole | null;

export type ChannelRoles = ReturnType<typeof createChannelRoles>;

/** Finds the highest role of a user in a channel: an owner who is also staff is the owner. */
export function createChannelRoles(deps: {
  grantedRoles: Pick<GrantedRoles, "roleOf">;
  isStaff(userId: string): Promise<boolean>;
}) {
  return {
    /** With `session`, in a transaction that changes the channel, no concurrent act can change the role any more. */
    async roleOf(
      channel: Pick<StreamDoc, "_id" | "userId">,
      userId: string,
      session?: ClientSession,
    ): Promise<MemberRole> {
      if (userId === channel.userId) return "owner";
      const [role, isStaff] = await Promise.all([
        deps.grantedRoles.roleOf(channel._id, userId, session),
        deps.isStaff(userId),
      ]);
      return isStaff ? "staff" : role;
    },
  };
}

export function isModerating(role: MemberRole): role is "owner" | "staff" | "moderator" {
  return role === "owner" || role === "staff" || role === "moderator";
}

/**
 * Whether a moderating user may act on another (ban, time out, delete messages): nobody may act on the owner or on
 * staff, and moderators may not act on each other.
 */
export function mayActOn(actor: MemberRole, target: MemberRole): boolean {
  if (!isModerating(actor) || target === "owner" || target === "staff") return false;
  return actor !== "moderator" || target !== "moderator";
}

/** Only the owner gives roles. */
export const mayGiveRoleTo = (actor: MemberRole, target: MemberRole): boolean =>
  actor === "owner" && mayActOn(actor, target);

/** Only the owner takes roles away, from staff too. */
export const mayTakeRole = (actor: MemberRole): boolean => actor === "owner";
