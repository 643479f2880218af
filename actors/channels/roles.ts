import type { ChannelRole } from "../../store/mongo/channel-people.ts";

/** What a user is in one channel; null for everybody else. */
export type Standing = "owner" | "staff" | ChannelRole | null;

/** The highest of what a user is: an owner who is staff as well is the owner. */
export function standingOf(user: {
  userId: string;
  ownerId: string;
  isStaff: boolean;
  role: ChannelRole | null;
}): Standing {
  if (user.userId === user.ownerId) return "owner";
  return user.isStaff ? "staff" : user.role;
}

export function isModerating(standing: Standing): standing is "owner" | "staff" | "moderator" {
  return standing === "owner" || standing === "staff" || standing === "moderator";
}

/**
 * Whether one who moderates may act on (ban, time out, delete the words of) another: nobody acts on the owner
 * or on staff, and moderators don't act on each other.
 */
export function mayActOn(actor: Standing, target: Standing): boolean {
  if (!isModerating(actor) || target === "owner" || target === "staff") return false;
  return actor !== "moderator" || target !== "moderator";
}

/** Roles are given by the owner alone. */
export const mayGiveRoleTo = (actor: Standing, target: Standing): boolean =>
  actor === "owner" && mayActOn(actor, target);

/** And taken away by the owner alone, also from staff. */
export const mayTakeRole = (actor: Standing): boolean => actor === "owner";
