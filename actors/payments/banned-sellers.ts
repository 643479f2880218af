import { accountBansIn } from "../../store/mongo/account-bans.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { subscriptionsIn } from "../../store/mongo/subscriptions.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";

/** Of one sweep; more are left to the next. */
const BANS = 1_000;
const SUBSCRIPTIONS = 200;

type Deps = { mongo: Mongo; subscriptions: Pick<Subscriptions, "cancelForBan"> };

export type BannedSellers = ReturnType<typeof createBannedSellers>;

/**
 * Ends the billing for channels of banned accounts. It walks over all current bans, again and again, so that one that was paid
 * for after the ban is found too; what was paid lasts to its end.
 */
export function createBannedSellers({ mongo, subscriptions }: Deps) {
  const bans = accountBansIn(mongo.db);
  const stored = subscriptionsIn(mongo.db);
  let after = "";

  return {
    async sweep(): Promise<void> {
      const channels = await bans.currentAfter(after, BANS);
      if (channels.length === 0) {
        after = "";
        return;
      }
      const billed = await stored.billedFor(channels, SUBSCRIPTIONS);
      for (const id of billed) await subscriptions.cancelForBan(id);
      if (billed.length < SUBSCRIPTIONS) after = channels.length < BANS ? "" : (channels.at(-1) ?? "");
    },
  };
}
