import type { MemberFacts } from "./members.ts";

/** Ids of built-in badges, which nobody makes or grants: bots, staff, roles in the room, subscriptions by tier. */
export const BOT_BADGE = "bot";
export const STAFF_BADGE = "staff";
export const ROLE_BADGES = { owner: "owner", moderator: "moderator", vip: "vip" } as const;
export const SUBSCRIBER_BADGES = { 1: "subscriber-1", 2: "subscriber-2", 3: "subscriber-3" } as const;

const ofRole: Readonly<Record<string, string>> = ROLE_BADGES;
const ofTier: Readonly<Record<number, string>> = SUBSCRIBER_BADGES;

/** The author of a message: whether it is a bot, and the role in the room. */
type Author = {
  isBot: boolean;
  role: string;
  facts: Pick<MemberFacts, "isStaff" | "tier" | "badges">;
};

/**
 * Badges that an author displays: bot, staff, role, subscription, and the granted ones, without those deleted since.
 * One that expires may be displayed for as long as facts are cached, two minutes.
 */
export function displayedBadges(
  { isBot, role, facts }: Author,
  exists: (badgeId: string) => boolean,
): string[] {
  const builtIn = [
    isBot ? BOT_BADGE : undefined,
    facts.isStaff ? STAFF_BADGE : undefined,
    ofRole[role],
    ofTier[facts.tier],
  ];
  return [...builtIn.flatMap((id) => id ?? []), ...facts.badges.filter(exists)];
}
