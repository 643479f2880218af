import { accountBansIn } from "../../../store/mongo/accounts/account-bans.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { subscriptionsIn } from "../../../store/mongo/monetization/subscriptions.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";

/** Limits per sweep; more are left to the next. */
const BANS_BATCH = 1_000;
const SUBSCRIPTIONS_BATCH = 200;

type Deps = { mongo: Mongo; subscriptions: Pick<Subscriptions, "cancelForBan"> };

export type BannedSellers = ReturnType<typeof createBannedSellers>;

/**
 * Ends the billing for channels of banned accounts. It iterates over all current bans repeatedly, so that subscriptions that
 * were paid for after the ban are found, too. Time already paid for isn't taken away.
 */
export function createBannedSellers({ mongo, subscriptions }: Deps) {
  const bans = accountBansIn(mongo.db);
  const stored = subscriptionsIn(mongo.db);
  let after = "";

  return {
    async sweep(): Promise<void> {
      const channels = await bans.currentAfter(after, BANS_BATCH);
      if (channels.length === 0) {
        after = "";
        return;
      }
      const billed = await stored.billedFor(channels, SUBSCRIPTIONS_BATCH);
      for (const id of billed) await subscriptions.cancelForBan(id);
      if (billed.length < SUBSCRIPTIONS_BATCH)
        after = channels.length < BANS_BATCH ? "" : (channels.at(-1) ?? "");
    },
  };
}
