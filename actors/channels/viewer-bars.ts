import type { Db } from "mongodb";
import type { Refusal } from "../../contract/errors.ts";
import { isGone } from "../../store/mongo/accounts/account-status.ts";
import { usersIn } from "../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../store/mongo/channels/blocks.ts";

/** What keeps viewers from acting in a channel, apart from bans in its chat. */
export type ViewerBars = {
  /** The channel's owner is banned or deleted. */
  isInactive: boolean;
  /** Users whom the owner has blocked. */
  blocked: ReadonlySet<string>;
};

export const NO_BARS: ViewerBars = { isInactive: false, blocked: new Set() };

/**
 * The bars for users who act in one batch of a channel's actor (bets, votes, redemptions): such acts are too many to load what they
 * name one by one (`preload: false`), so the actor decides what `channel-access.ts` decides elsewhere.
 */
export function viewerBarsIn(db: Db) {
  const users = usersIn(db);
  const blocks = blocksIn(db);
  return async (ownerId: string, userIds: readonly string[]): Promise<ViewerBars> => {
    if (userIds.length === 0) return NO_BARS;
    const [owner, blocked] = await Promise.all([
      users.loadStanding(ownerId),
      blocks.blockedBy(ownerId, userIds),
    ]);
    return { isInactive: isGone(owner), blocked };
  };
}

/** The same answers as `channel-access.ts` throws; null when nothing bars the user. */
export function refusalByBars({ isInactive, blocked }: ViewerBars, userId: string): Refusal | null {
  if (isInactive) return { code: "not_found" };
  return blocked.has(userId) ? { code: "blocked" } : null;
}
