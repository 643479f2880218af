import { type SignedIn, userIdOf } from "../../actors/accounts/tokens/caller.ts";
import { subscriptionView } from "../../actors/monetization/subscription/view.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { ChannelSubscription } from "../../contract/wire.ts";
import type { SubscriptionDoc } from "../../store/mongo/monetization/subscriptions.ts";
import { SUBSCRIPTION_STATUSES } from "../../store/mongo/monetization/subscriptions.ts";
import { type Operations, reply } from "../http/bind.ts";
import { mapPage, mapPageBatch, sliceOf } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { publicState, stateChangeView } from "../http/state-change.ts";

const TIERS = [1, 2, 3] as const;

export function monetizationRoutes(
  { bind, bindPage }: Operations,
  { directory, staff, subscriptions, checkouts, checkoutStates, tips, billing }: RouteDeps,
): void {
  /** How a checkout is paid, and the page that its payer comes back to. Throws `validation_failed` for a page of somebody else's. */
  const wayOf = ({ confirm, return_to }: { confirm?: "redirect" | "in_place"; return_to?: string }) => ({
    confirm: confirm ?? "redirect",
    returnTo: return_to === undefined ? null : checkouts.requireReturnAddress(return_to),
  });

  /** Subscriptions of deleted accounts are left out. `isOwn`: the subscriber sees them, with channel and giver. */
  async function views(docs: SubscriptionDoc[], isOwn: boolean): Promise<ChannelSubscription[]> {
    const ids = docs.flatMap(({ subscriberId, channelUserId, giftedBy }) =>
      isOwn ? [subscriberId, channelUserId, giftedBy ?? []].flat() : [subscriberId],
    );
    const users = await directory.usersByIds([...new Set(ids)]);
    return docs.flatMap((doc) => {
      const subscriber = users.get(doc.subscriberId);
      const channel = users.get(doc.channelUserId) ?? null;
      const giver = (isOwn && doc.giftedBy !== null && users.get(doc.giftedBy)) || null;
      return subscriber ? [subscriptionView(doc, subscriber, channel, giver)] : [];
    });
  }

  async function view(doc: SubscriptionDoc): Promise<ChannelSubscription> {
    const [found] = await views([doc], true);
    if (!found) throw new ServiceError("not_found");
    return found;
  }

  /** Throws `not_found`, and `forbidden` for another user's subscription. */
  async function requireOwn(id: string, { userId }: SignedIn): Promise<SubscriptionDoc> {
    const doc = await subscriptions.require(id);
    if (doc.subscriberId !== userId) throw new ServiceError("forbidden");
    return doc;
  }

  bindPage("listSubscriptionTiers", (_request, range) => {
    const { currency, tierCents } = checkouts.prices;
    return sliceOf(
      TIERS.map((tier) => ({ tier, price_cents: tierCents[tier], currency })),
      range,
    );
  });

  bind("createSubscriptionCheckout", ({ caller, body, idempotencyKey: key }) =>
    checkouts.subscribe(
      { channelUserId: body.channel_user_id, tier: body.tier, giftTo: body.gift_to_user_id ?? null },
      { by: caller.userId, key, ...wayOf(body) },
    ),
  );

  bind("createTipCheckout", ({ caller, body, idempotencyKey: key, origin }) =>
    checkouts.tip(
      {
        toUserId: body.to_user_id,
        amountCents: body.amount_cents,
        currency: body.currency,
        message: body.message ?? null,
        isAnonymous: body.anonymous ?? false,
      },
      { by: userIdOf(caller), key, ...wayOf(body), address: origin.ip },
    ),
  );

  bind("getCheckout", ({ caller, params }) => checkoutStates.of(params.checkout_id, userIdOf(caller)));

  bindPage("listMySubscriptions", ({ caller }, range) =>
    mapPageBatch(subscriptions.pageOfSubscriber(caller.userId, range), (docs) => views(docs, true)),
  );

  bindPage("listMySubscribers", ({ caller }, range) =>
    mapPageBatch(subscriptions.pageOfChannel(caller.userId, range), (docs) => views(docs, false)),
  );

  bind("cancelSubscription", async ({ caller, params }) => {
    const { _id } = await requireOwn(params.subscription_id, caller);
    return view(await subscriptions.cancel(_id, { by: caller.userId }));
  });

  bind("resumeSubscription", async ({ caller, params }) => {
    const doc = await requireOwn(params.subscription_id, caller);
    await checkouts.requirePayable(doc);
    return view(await subscriptions.resume(doc._id, { by: caller.userId }));
  });

  bind("changeSubscriptionTier", async ({ caller, params, body, idempotencyKey: key }) => {
    const doc = await requireOwn(params.subscription_id, caller);
    const { tier } = body;
    if (tier > doc.tier) {
      if (doc.status !== "active") throw new ServiceError("invalid_state", { status: doc.status });
      const payer = { by: caller.userId, key, ...wayOf(body) };
      return reply({ status: 201, body: await checkouts.upgrade(doc, tier, payer) });
    }
    const plan = { tier, priceCents: checkouts.prices.tierCents[tier] };
    return reply({
      status: 200,
      body: await view(await subscriptions.downgrade(doc._id, plan, { by: caller.userId, key })),
    });
  });

  bindPage("getSubscriptionHistory", async ({ caller, params }, range) => {
    const doc = await subscriptions.require(params.subscription_id);
    const isConcerned = [doc.subscriberId, doc.channelUserId].includes(caller.userId);
    if (!isConcerned && !(await staff.seesAsStaff(caller))) throw new ServiceError("forbidden");
    return mapPage(subscriptions.history(doc._id, range), stateChangeView(stateOf));
  });

  bindPage("listMyTips", ({ caller, query }, range) =>
    mapPageBatch(tips.page(caller.userId, query.direction ?? "received", range), (docs) =>
      tips.view(docs, caller.userId),
    ),
  );

  bind("refundTip", async ({ caller, params, idempotencyKey: key }) => {
    const tip = await tips.require(params.tip_id);
    if (tip.toUserId !== caller.userId) throw new ServiceError("forbidden");
    const [found] = await tips.view([await tips.refund(tip._id, { by: caller.userId, key })], caller.userId);
    if (!found) throw new ServiceError("not_found");
    return found;
  });

  bind("billingHook", async ({ body, headers }) => {
    if (billing.platform?.reports === "own") throw new ServiceError("not_found");
    // The signature covers the id header, too.
    await billing.report(String(headers["webhook-id"]), { ...body, data: { ...body.data } });
    return { received: true };
  });

  bind("stripeHook", async ({ rawBody, headers }) => {
    await billing.reportOwn(rawBody, headers["stripe-signature"]?.toString());
    return { received: true };
  });
}

const stateOf = (path: string) =>
  publicState(path, { statuses: SUBSCRIPTION_STATUSES, details: [] as never[] });
