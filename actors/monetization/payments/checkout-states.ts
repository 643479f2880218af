import type { Clock } from "../../../base/clock.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Checkout } from "../../../contract/wire.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { type CheckoutDoc, checkoutsIn } from "../../../store/mongo/monetization/checkouts.ts";
import { tipsIn } from "../../../store/mongo/monetization/tips.ts";
import type { Directory } from "../../accounts/public.ts";
import { userSummary } from "../../accounts/public.ts";

type Deps = { mongo: Mongo; clock: Clock; directory: Pick<Directory, "usersByIds"> };

/** What became of checkouts, for the pages that payers come back to. */
export function createCheckoutStates({ mongo, clock, directory }: Deps) {
  const checkouts = checkoutsIn(mongo.db);
  const tips = tipsIn(mongo.db);

  async function statusOf(checkout: CheckoutDoc): Promise<Checkout["status"]> {
    const { order, paidAt, failedAt, session } = checkout;
    // A tip's payment is recorded in the tip.
    const isPaid =
      order.kind === "tip" ? ((await tips.find(order.tipId))?.paidAt ?? null) !== null : paidAt !== null;
    if (isPaid) return "paid";
    if (failedAt !== undefined) return "failed";
    return session && session.expiresAt.getTime() <= clock.now() ? "expired" : "open";
  }

  return {
    /**
     * Of the payer; that of a payer who wasn't signed in is whoever's who knows its id, without the address to pay at: who got the
     * id from somebody else would pay for that one. Throws `not_found`.
     */
    async of(id: string, reader: string | null): Promise<Checkout> {
      const checkout = await checkouts.find(id);
      if (!checkout || (checkout.payerId !== null && checkout.payerId !== reader))
        throw new ServiceError("not_found");
      const { order, payerId, channelUserId, amountCents, currency, session } = checkout;
      const receiverId = order.kind === "gift" ? order.subscriberId : null;
      const users = await directory.usersByIds([channelUserId, ...(receiverId ? [receiverId] : [])]);
      const summaryOf = (userId: string | null) => {
        const user = users.get(userId ?? "");
        return user ? userSummary(user) : null;
      };
      const status = await statusOf(checkout);
      return {
        id,
        kind: order.kind,
        status,
        channel: summaryOf(channelUserId),
        gift_to: summaryOf(receiverId),
        tier: order.kind === "tip" ? null : order.tier,
        amount_cents: amountCents,
        currency,
        checkout_url: status === "open" && payerId !== null ? (session?.url ?? null) : null,
      };
    },
  };
}
