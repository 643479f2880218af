import type { MemberFacts } from "./members.ts";

/** Ids of badges that nobody makes or grants: of roles in the room, and of subscriptions by their tier. */
export const ROLE_BADGES = { owner: "owner", moderator: "moderator", vip: "vip" } as const;
export const SUBSCRIBER_BADGES = { 1: "subscriber-1", 2: "subscriber-2", 3: "subscriber-3" } as const;

const ofRole: Readonly<Record<string, string>> = ROLE_BADGES;
const ofTier: Readonly<Record<number, string>> = SUBSCRIBER_BADGES;

/**
 * What an author wears: role, subscription, and what was granted, of which those are left out that were deleted since. One that
 * expires may be worn for as long as facts are kept, two minutes.
 */
export function wornBadges(role: string, facts: MemberFacts, exists: (badgeId: string) => boolean): string[] {
  const builtIn = [ofRole[role], ofTier[facts.tier]];
  return [...builtIn.flatMap((id) => id ?? []), ...facts.badges.filter(exists)];
}
