/** Checkouts: what somebody is about to pay for. They grant nothing and oblige nobody; only a platform's reports do. */

import type { Clock } from "../../../base/clock.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { invalid, ServiceError, unavailable } from "../../../contract/errors.ts";
import type { CheckoutSession } from "../../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import type { ChatBans } from "../../../store/mongo/chat/chat-bans.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { idempotencyIn } from "../../../store/mongo/driver/idempotency.ts";
import {
  type CheckoutDoc,
  checkoutsIn,
  type SubscribedPair,
} from "../../../store/mongo/monetization/checkouts.ts";
import type { SubscriptionDoc, Tier } from "../../../store/mongo/monetization/subscriptions.ts";
import { tipsIn } from "../../../store/mongo/monetization/tips.ts";
import type { Directory } from "../../accounts/public.ts";
import type { ViewerTexts } from "../../channels/public.ts";
import { IDEMPOTENCY_TTL_MS, keyIdOf } from "../../host/keyed-requests.ts";
import { requestHash } from "../../host/request.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";
import { orderOf, sessionView } from "./checkout-session.ts";
import { createPayerRules } from "./payer-rules.ts";
import type { PaymentPlatform } from "./platform.ts";
import { requireReturnAddress } from "./return-addresses.ts";

/** TTL of an unpaid checkout; a later payment isn't booked. */
const UNPAID_TTL_MS = 31 * DAY_MS;

export type Prices = { currency: string; tierCents: Record<Tier, number> };

type Deps = {
  mongo: Mongo;
  clock: Clock;
  directory: Pick<Directory, "requireUser">;
  subscriptions: Pick<Subscriptions, "current" | "find">;
  streams: Pick<Streams, "findByUser">;
  chatBans: Pick<ChatBans, "banOf">;
  viewerTexts: Pick<ViewerTexts, "requireActText">;
  /** Null when no platform is configured; then nothing can be paid for. */
  platform: PaymentPlatform | null;
  prices: Prices;
  /** Addresses below which the pages lie that payers may come back to. */
  returnBases(): readonly string[];
};

type Confirm = "redirect" | "in_place";
/** The paying user, the request's idempotency key, how it is paid, and the page to come back to. */
type Payer<By> = { by: By; key: string | null; confirm: Confirm; returnTo: string | null };
/** The scope of an idempotency key, besides its user. */
type Operation = "subscription" | "upgrade" | "tip";

export function createCheckouts(deps: Deps) {
  const { mongo, clock, directory, subscriptions, platform, prices } = deps;
  const { requireNoBlockWith, requireMaySpeak, requireMayShow } = createPayerRules(deps);
  const checkouts = checkoutsIn(mongo.db);
  const tips = tipsIn(mongo.db);
  const keys = idempotencyIn(mongo.db);

  /** A banned account can neither sell nor receive gifts. Throws `not_found`. */
  async function requireSeller(userId: string): Promise<UserWithoutSecrets> {
    const user = await directory.requireUser(userId);
    if (user.status === "banned") throw new ServiceError("not_found");
    return user;
  }

  /** For a subscription that is to be paid on: a block doesn't end it, but nothing new begins. Throws `not_found`, `blocked`. */
  async function requirePayable({
    subscriberId,
    channelUserId,
  }: SubscribedPair): Promise<UserWithoutSecrets> {
    const channel = await requireSeller(channelUserId);
    await requireNoBlockWith(subscriberId, channelUserId);
    return channel;
  }

  /** The id of the subscription that the next payment goes to: the current one, or one that doesn't exist yet. */
  async function subscriptionFor(pair: SubscribedPair): Promise<string> {
    const id = await checkouts.seat(pair, newId());
    const doc = await subscriptions.find(id);
    const isOver = doc !== null && (!doc.isCurrent || doc.entitledUntil.getTime() <= clock.now());
    return isOver ? checkouts.reseat(pair, id, newId()) : id;
  }

  /** The id of a request's checkout, the same for a day under one key. Throws `idempotency_conflict`, `unavailable`. */
  async function checkoutOf(
    operation: Operation,
    { by, key }: Payer<string | null>,
    request: object,
  ): Promise<string> {
    if (!platform) throw unavailable({ message: "No payment platform is configured." });
    if (by === null || key === null) return newId();
    const now = clock.now();
    const claim = {
      requestHash: requestHash(request),
      answer: newId(),
      expiresAt: new Date(now + IDEMPOTENCY_TTL_MS),
    };
    const kept = await keys.claim({ _id: keyOf(operation, by, key), ...claim }, new Date(now));
    if (kept.requestHash !== claim.requestHash) throw new ServiceError("idempotency_conflict");
    return String(kept.answer);
  }

  /** Begins a checkout, or continues the one with the same id, by which the platform knows it, too. Throws `unavailable`. */
  async function open(
    draft: Pick<CheckoutDoc, "_id" | "order" | "payerId" | "channelUserId" | "amountCents">,
    {
      title,
      channel,
      confirm,
      returnTo,
    }: { title: string; channel: string } & Pick<Payer<unknown>, "confirm" | "returnTo">,
  ): Promise<CheckoutSession> {
    if (!platform) throw new Error("a checkout without a platform");
    const back = returnTo === null ? {} : { returnTo };
    await checkouts.begin({
      ...draft,
      currency: prices.currency,
      session: null,
      paidAt: null,
      createdAt: new Date(clock.now()),
      removeAt: new Date(clock.now() + UNPAID_TTL_MS),
    });
    const kept = await checkouts.find(draft._id);
    if (!kept) throw unavailable();
    if (kept.session) return sessionView(kept, kept.session);
    const session = await platform.openCheckout({ ...orderOf(kept), title, channel, confirm, ...back });
    return sessionView(kept, await checkouts.opened(kept._id, session));
  }

  const planOf = (tier: Tier) => ({ tier, amountCents: prices.tierCents[tier] });

  return {
    prices,
    requirePayable,
    /** Throws `validation_failed` for a page of somebody else's. */
    requireReturnAddress: (wanted: string) => requireReturnAddress(wanted, deps.returnBases()),

    /** Throws `self_target`, `not_found`, `blocked`, `already_subscribed`. */
    async subscribe(
      wanted: { channelUserId: string; tier: Tier; giftTo: string | null },
      payer: Payer<string>,
    ): Promise<CheckoutSession> {
      const { channelUserId, tier, giftTo } = wanted;
      const { by } = payer;
      const subscriberId = giftTo ?? by;
      if (channelUserId === by || giftTo === by || subscriberId === channelUserId)
        throw new ServiceError("self_target");
      const channel = await requireSeller(channelUserId);
      if (giftTo !== null) await requireSeller(giftTo);
      await requireNoBlockWith(by, channelUserId);
      // A block between receiver and channel must not be revealed to the giver: the gift is booked, but not announced.
      if (giftTo !== null) {
        await requireNoBlockWith(by, giftTo);
        // The announcement in the room names the giver.
        await requireMaySpeak(by, channelUserId);
      }
      const pair = { subscriberId, channelUserId };
      const current = giftTo === null ? await subscriptions.current(by, channelUserId) : null;
      if (current && !current.isGift && !(await isRepeat("subscription", payer)))
        throw new ServiceError("already_subscribed");
      const subscriptionId = await subscriptionFor(pair);
      const { amountCents } = planOf(tier);
      const order = {
        kind: giftTo === null ? "subscription" : "gift",
        subscriberId,
        subscriptionId,
        tier,
      } as const;
      const title = `${giftTo === null ? "Subscription" : "Gift subscription"} to ${channel.username}, tier ${tier}`;
      const _id = await checkoutOf("subscription", payer, wanted);
      return open(
        { _id, order, payerId: by, channelUserId, amountCents },
        { ...payer, title, channel: channel.username },
      );
    },

    /** Upgrades an existing subscription to a higher tier. Throws `not_found`, `blocked`. */
    async upgrade(
      { _id: subscriptionId, subscriberId, channelUserId }: SubscriptionDoc,
      tier: Tier,
      payer: Payer<string>,
    ): Promise<CheckoutSession> {
      const channel = await requirePayable({ subscriberId, channelUserId });
      const { amountCents } = planOf(tier);
      const order = { kind: "subscription", subscriberId, subscriptionId, tier } as const;
      const title = `Subscription to ${channel.username}, tier ${tier}`;
      const _id = await checkoutOf("upgrade", payer, { subscriptionId, tier });
      return open(
        { _id, order, payerId: subscriberId, channelUserId, amountCents },
        { ...payer, title, channel: channel.username },
      );
    },

    /** Throws `validation_failed` for another currency, `self_target`, `not_found`, `blocked`, `banned`, `timed_out`. */
    async tip(
      wanted: {
        toUserId: string;
        amountCents: number;
        currency: string;
        message: string | null;
        isAnonymous: boolean;
      },
      payer: Payer<string | null> & { address: string },
    ): Promise<CheckoutSession> {
      const { toUserId, amountCents, currency, message, isAnonymous } = wanted;
      const { by } = payer;
      if (currency !== prices.currency) throw otherCurrency(prices.currency);
      if (toUserId === by) throw new ServiceError("self_target");
      const receiver = await requireSeller(toUserId);
      if (by !== null) {
        await requireNoBlockWith(by, toUserId);
        await requireMaySpeak(by, toUserId);
      }
      const hidesSender = isAnonymous || by === null;
      if (message !== null && !(await isRepeat("tip", payer)))
        await requireMayShow(payer, toUserId, { written: message, isPrivate: hidesSender });
      const title = `Tip for ${receiver.username}`;
      const _id = await checkoutOf("tip", payer, wanted);
      await tips.begin({
        _id,
        fromUserId: by,
        isAnonymous: hidesSender,
        toUserId,
        amountCents,
        currency,
        message,
        status: "pending",
        isHidden: false,
        platformId: null,
        createdAt: new Date(clock.now()),
        messageState: null,
        paidAt: null,
        refundedAt: null,
        removeAt: null,
      });
      // Tip and checkout share one id.
      const order = { kind: "tip", tipId: _id } as const;
      return open(
        { _id, order, payerId: by, channelUserId: toUserId, amountCents },
        { ...payer, title, channel: receiver.username },
      );
    },
  };

  /** Whether this is a retry of a request that has a checkout; it gets that checkout, whatever has been paid for meanwhile. */
  async function isRepeat(operation: Operation, { by, key }: Payer<string | null>): Promise<boolean> {
    if (by === null || key === null) return false;
    const [kept] = await keys.findMany([keyOf(operation, by, key)]);
    return kept !== undefined && kept.expiresAt.getTime() > clock.now();
  }
}

const keyOf = (operation: Operation, by: string, key: string) =>
  keyIdOf({ by, operation: `checkout.${operation}`, key });

const otherCurrency = (currency: string) =>
  invalid({ path: "/body/currency", rule: "const", message: `must be ${currency}` });
