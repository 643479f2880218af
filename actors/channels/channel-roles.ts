import type { ClientSession } from "mongodb";
import type { Blocks } from "../../store/mongo/channels/blocks.ts";
import type { ChannelRole, GrantedRoles } from "../../store/mongo/channels/channel-roles.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import type { Viewer } from "../accounts/public.ts";

/** A user's role in one channel; null without a role. */
export type MemberRole = "owner" | "staff" | ChannelRole | null;

export type ChannelRoles = ReturnType<typeof createChannelRoles>;

/** Finds the highest role of a user in a channel: an owner who is also staff is the owner. */
export function createChannelRoles(deps: {
  grantedRoles: Pick<GrantedRoles, "roleOf">;
  blocks: Pick<Blocks, "eitherWay">;
  isStaff(userId: string): Promise<boolean>;
}) {
  type Channel = Pick<StreamDoc, "_id" | "userId">;

  /**
   * A block takes a role back, and migration 10 those beside older blocks. One beside a block by a worker of an earlier release
   * is without effect here; a room doesn't look at blocks, and would count it.
   */
  async function grantedRole(
    { _id, userId: ownerId }: Channel,
    userId: string,
    session?: ClientSession,
  ): Promise<ChannelRole | null> {
    const role = await deps.grantedRoles.roleOf(_id, userId, session);
    if (role === null) return null;
    return (await deps.blocks.eitherWay(ownerId, [userId], session)).size > 0 ? null : role;
  }

  /** With `session`, in a transaction that changes the channel, no concurrent act can change the role any more. */
  async function roleOf(channel: Channel, userId: string, session?: ClientSession): Promise<MemberRole> {
    if (userId === channel.userId) return "owner";
    const [role, isStaff] = await Promise.all([grantedRole(channel, userId, session), deps.isStaff(userId)]);
    return isStaff ? "staff" : role;
  }

  /**
   * The role of a user on whom somebody acts. Being staff isn't part of it: a chatter who is staff is banned, or made a moderator,
   * like anybody else, since a refusal would tell every owner of a channel who is staff. What they do as staff goes on.
   */
  async function roleAsTarget(
    channel: Channel,
    userId: string,
    session?: ClientSession,
  ): Promise<TargetRole> {
    if (userId === channel.userId) return "owner";
    return grantedRole(channel, userId, session);
  }

  /** By a personal token nobody is staff. */
  const roleOfCaller = (channel: Channel, { userId, grant }: NonNullable<Viewer>): Promise<MemberRole> =>
    grant === null ? roleOf(channel, userId) : roleAsTarget(channel, userId);

  return { roleOf, roleAsTarget, roleOfCaller };
}

export function isModerating(role: MemberRole): role is "owner" | "staff" | "moderator" {
  return role === "owner" || role === "staff" || role === "moderator";
}

/** The role of a user on whom somebody acts, see `roleAsTarget`. */
export type TargetRole = Exclude<MemberRole, "staff">;

/**
 * Whether a moderating user may act on another (ban, time out, delete messages): nobody may act on the owner, and moderators may
 * not act on each other.
 */
export function mayActOn(actor: MemberRole, target: TargetRole): boolean {
  if (!isModerating(actor) || target === "owner") return false;
  return actor !== "moderator" || target !== "moderator";
}

/** Only the owner gives roles. */
export const mayGiveRoleTo = (actor: MemberRole, target: TargetRole): boolean =>
  actor === "owner" && mayActOn(actor, target);

/** Only the owner takes roles away, from staff too. */
export const mayTakeRole = (actor: MemberRole): boolean => actor === "owner";
