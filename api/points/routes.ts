import { userSummary } from "../../actors/accounts/public.ts";
import type { PointsEntry } from "../../contract/wire.ts";
import type { LedgerDoc } from "../../store/mongo/points/ledger.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage, mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { balanceView } from "./balance-view.ts";

/** A viewer's own points; `user_id` in the paths is the channel's owner. */
export function pointsRoutes({ bind, bindPage }: Operations, { points, directory }: RouteDeps): void {
  bindPage("listMyPoints", ({ caller }, range) =>
    mapPageBatch(points.balances(caller.userId, range), async (balances) => {
      const channels = balances.map(({ channelUserId }) => channelUserId);
      const waiting = await points.claimable(caller.userId, channels);
      const users = await directory.usersByIds(channels);
      return balances.map((one) => {
        const owner = users.get(one.channelUserId);
        const balance = balanceView(one.channelUserId, one, waiting.get(one.channelUserId));
        return owner ? { ...balance, channel: userSummary(owner) } : balance;
      });
    }),
  );

  bind("getPoints", async ({ caller, user: { _id: userId } }) => {
    const [balance, waiting] = await Promise.all([
      points.balance(caller.userId, userId),
      points.claimable(caller.userId, [userId]),
    ]);
    return balanceView(userId, balance, waiting.get(userId));
  });

  bind("claimPoints", async ({ caller, user: { _id: channelUserId }, idempotencyKey }) => {
    const claimed = await points.claim({ userId: caller.userId, channelUserId, key: idempotencyKey });
    return balanceView(channelUserId, claimed);
  });

  bindPage("getPointsLedger", ({ caller, user }, range) =>
    mapPage(points.ledger(caller.userId, user._id, range), entryView),
  );
}

function entryView(entry: LedgerDoc): PointsEntry {
  return {
    id: entry._id,
    channel_user_id: entry.channelUserId,
    delta: entry.delta,
    reason: entry.reason,
    ref: entry.ref,
    balance_after: entry.balanceAfter,
    created_at: entry.createdAt.toISOString(),
  };
}
