import { displayedBadges } from "../../../realtime/rooms/config/worn-badges.ts";
import { badgeGrantsIn } from "../../../store/mongo/chat/badge-grants.ts";
import { subscriptionsIn } from "../../../store/mongo/monetization/subscriptions.ts";
import type { TargetRole } from "../../channels/public.ts";
import type { FeatureDeps } from "../../features/deps.ts";

/** The badges that users wear in channels, whether they have said anything there or not. */
export function createShownBadges({ mongo, clock }: Pick<FeatureDeps, "mongo" | "clock">) {
  const subscriptions = subscriptionsIn(mongo.db);
  const grants = badgeGrantsIn(mongo.db);

  return {
    /** Ids. Without the one of staff: that is shown by what they say, and isn't to be looked up of anybody. */
    async of(ownerId: string, userId: string, role: TargetRole): Promise<string[]> {
      const now = new Date(clock.now());
      const [tier, [badges = []]] = await Promise.all([
        subscriptions.tierOf(userId, ownerId, now),
        grants.wornBy([[ownerId, userId]], now),
      ]);
      const facts = { tier: tier ?? 0, isStaff: false, badges };
      // Grants of a deleted badge are deleted with it.
      return displayedBadges({ isBot: false, role: role ?? "", facts }, () => true);
    },
  };
}
