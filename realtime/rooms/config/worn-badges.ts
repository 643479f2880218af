import type { MemberFacts } from "./members.ts";

/** Ids of badges that nobody makes or grants: of programs and staff, of roles in the room, and of subscriptions by their tier. */
export const BOT_BADGE = "bot";
export const STAFF_BADGE = "staff";
export const ROLE_BADGES = { owner: "owner", moderator: "moderator", vip: "vip" } as const;
export const SUBSCRIBER_BADGES = { 1: "subscriber-1", 2: "subscriber-2", 3: "subscriber-3" } as const;

const ofRole: Readonly<Record<string, string>> = ROLE_BADGES;
const ofTier: Readonly<Record<number, string>> = SUBSCRIBER_BADGES;

/** Who says something: by a program, and as what in the room. */
export type Author = { isBot: boolean; role: string; facts: MemberFacts };

/**
 * What an author wears: that it is a program, staff, role, subscription, and what was granted, of which those are left out that
 * were deleted since. One that expires may be worn for as long as facts are kept, two minutes.
 */
export function wornBadges({ isBot, role, facts }: Author, exists: (badgeId: string) => boolean): string[] {
  const builtIn = [
    isBot ? BOT_BADGE : undefined,
    facts.isStaff ? STAFF_BADGE : undefined,
    ofRole[role],
    ofTier[facts.tier],
  ];
  return [...builtIn.flatMap((id) => id ?? []), ...facts.badges.filter(exists)];
}
