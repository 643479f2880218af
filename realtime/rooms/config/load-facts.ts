import type { Db } from "mongodb";
import type { Clock } from "../../../base/clock.ts";
import { nullIfUnavailable } from "../../../base/failures/unavailable.ts";
import { isGone } from "../../../store/mongo/accounts/account-status.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import { badgeGrantsIn } from "../../../store/mongo/chat/badge-grants.ts";
import type { ChannelMember } from "../../../store/mongo/driver/bulk.ts";
import { subscriptionsIn } from "../../../store/mongo/monetization/subscriptions.ts";
import { packFacts, UNKNOWN_FACTS } from "./members.ts";

/**
 * Loads facts about members from MongoDB, packed, of all rooms together: five commands for a batch, whatever channels it is about.
 * `UNKNOWN_FACTS` while MongoDB is unavailable, so that chat goes on without badges and emotes.
 */
export function factsReader({ mongo, clock }: { mongo: Db; clock: Clock }) {
  const users = usersIn(mongo);
  const subscriptions = subscriptionsIn(mongo);
  const grants = badgeGrantsIn(mongo);
  const blocks = blocksIn(mongo);

  let isUnavailable = false;
  let isProbing = false;

  /** Null while MongoDB is unavailable. */
  function load(members: readonly ChannelMember[]) {
    const now = new Date(clock.now());
    return nullIfUnavailable(() =>
      Promise.all([
        subscriptions.tiersOf(members, now),
        users.authorFacts([...new Set(members.map(([, userId]) => userId))]),
        grants.wornBy(members, now),
        blocks.haveBlocked(members),
        Promise.all(members.map(([ownerId]) => users.loadStanding(ownerId))),
      ]),
    );
  }

  /** One at a time, in the background. */
  async function probe(members: readonly ChannelMember[]): Promise<void> {
    if (isProbing) return;
    isProbing = true;
    try {
      isUnavailable = (await load(members)) === null;
    } catch {
      // Not an outage: the next caller gets the error.
      isUnavailable = false;
    }
    isProbing = false;
  }

  return async function read(members: readonly ChannelMember[]): Promise<string[]> {
    const nothing = members.map(() => UNKNOWN_FACTS);
    if (isUnavailable) {
      void probe(members);
      return nothing;
    }
    const found = await load(members);
    isUnavailable = found === null;
    if (!found) return nothing;
    const [tiers, authors, badges, blocked, owners] = found;
    return members.map(([, userId], i) =>
      packFacts({
        tier: tiers[i] ?? 0,
        isEmailVerified: authors.get(userId)?.isEmailVerified ?? false,
        isStaff: authors.get(userId)?.isStaff ?? false,
        isBlocked: blocked[i] ?? false,
        isOwnerGone: isGone(owners[i] ?? null),
        badges: badges[i] ?? [],
      }),
    );
  };
}
