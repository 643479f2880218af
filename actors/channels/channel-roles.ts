import type { ClientSession } from "mongodb";
import type { ChannelPeople, ChannelRole } from "../../store/mongo/channel-people.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";

/** What a user is in one channel; null for everybody else. */
export type MemberRole = "owner" | "staff" | ChannelRole | null;

export type ChannelRoles = ReturnType<typeof createChannelRoles>;

/** Finds out the highest role that a user has in a channel: an owner who is staff as well is the owner. */
export function createChannelRoles(deps: {
  people: Pick<ChannelPeople, "roleOf">;
  isStaff(userId: string): Promise<boolean>;
}) {
  return {
    /** Inside a transaction that changes the channel (`session`): what no other act can change any more. */
    async roleOf(
      channel: Pick<StreamDoc, "_id" | "userId">,
      userId: string,
      session?: ClientSession,
    ): Promise<MemberRole> {
      if (userId === channel.userId) return "owner";
      const [role, isStaff] = await Promise.all([
        deps.people.roleOf(channel._id, userId, session),
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
 * Whether one who moderates may act on (ban, time out, delete the words of) another: nobody acts on the owner
 * or on staff, and moderators don't act on each other.
 */
export function mayActOn(actor: MemberRole, target: MemberRole): boolean {
  if (!isModerating(actor) || target === "owner" || target === "staff") return false;
  return actor !== "moderator" || target !== "moderator";
}

/** Roles are given by the owner alone. */
export const mayGiveRoleTo = (actor: MemberRole, target: MemberRole): boolean =>
  actor === "owner" && mayActOn(actor, target);

/** And taken away by the owner alone, also from staff. */
export const mayTakeRole = (actor: MemberRole): boolean => actor === "owner";
