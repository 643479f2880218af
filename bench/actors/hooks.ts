import { createBilling } from "../../actors/monetization/payments/billing.ts";
import { createTips } from "../../actors/monetization/payments/tips.ts";
import { newId } from "../../base/ids.ts";
import { timersCollection } from "../../store/mongo/host/timers.ts";
import { type CheckoutDoc, checkoutsIn } from "../../store/mongo/monetization/checkouts.ts";
import { hooksCollection } from "../../store/mongo/monetization/hooks.ts";
import { subscriptionsCollection } from "../../store/mongo/monetization/subscriptions.ts";
import { writeHook } from "./baselines.ts";
import type { Stage } from "./stage.ts";

const INDEXES = {
  hooks: hooksCollection.indexes,
  subscriptions: subscriptionsCollection.indexes,
  timers: timersCollection.indexes,
};
const PRICE = { amount_cents: 499, currency: "USD" };
const IN_FLIGHT = 32;
/** Subscriptions of the figures for one at a time. */
const SINGLE = 50;
/** Each brings every subscription one renewal. */
const ROUNDS = 4;
const WARM_UP_ROUNDS = 1;

type HookFigures = {
  /** Hooks a second with several under way. */
  busy: { ours: number; bare: number };
  /** One at a time, ms. */
  single: { ours: number[]; bare: number[] };
};

type Subscribed = { id: string; checkoutId: string };

/** Renewals of different subscriptions, as a payment platform reports them, each beside the bare transaction of what it writes. */
export async function hooks(stage: Stage, count: number): Promise<HookFigures> {
  const { client, db } = stage.mongo;
  for (const [name, indexes] of Object.entries(INDEXES))
    await db.collection(`bare_${name}`).createIndexes([...indexes]);
  const billing = billingOf(stage);
  const all: Subscribed[] = [];
  await together(Array(count).fill(null), async () => void all.push(await subscribed(stage)));
  const ours = async ({ id: subscription_id, checkoutId: checkout_id }: Subscribed) => {
    const hookId = newId();
    const data = { subscription_id, checkout_id, platform_id: `p:${checkout_id}`, ...PRICE };
    const event = { id: hookId, type: "subscription.renewed", created_at: new Date().toISOString(), data };
    await billing.report(hookId, event);
  };
  // What one writes is taken from what one has written.
  await together(all, ours);
  const samples = new Map<string, Awaited<ReturnType<typeof writtenOf>>>();
  await together(all, async (one) => void samples.set(one.id, await writtenOf(stage, one)));
  for (const { snapshot, subscription } of samples.values()) {
    await db.collection<{ _id: string }>("bare_snapshots").insertOne(snapshot);
    await db.collection<{ _id: string }>("bare_subscriptions").insertOne(subscription);
  }
  const bare = async ({ id }: Subscribed) => {
    const sample = samples.get(id);
    if (!sample) throw new Error("a renewed subscription has its documents");
    await writeHook({ client, db }, "bare", sample);
  };

  const took = { ours: 0, bare: 0 };
  const single: HookFigures["single"] = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round++) {
    const sides = [
      ["ours", ours],
      ["bare", bare],
    ] as const;
    // The side that goes first warms what the other needs, so they take turns.
    for (const [side, step] of round % 2 ? sides : sides.toReversed()) {
      const ms = await together(all, step);
      if (round >= WARM_UP_ROUNDS) took[side] += ms;
    }
    for (const one of all.slice(0, SINGLE)) {
      for (const [side, step] of round % 2 ? sides : sides.toReversed()) {
        const from = performance.now();
        await step(one);
        if (round >= WARM_UP_ROUNDS) single[side].push(performance.now() - from);
      }
    }
    await stage.host.idle();
  }
  await requireAllBooked(stage, all);
  const rate = (ms: number) => (count * ROUNDS * 1_000) / ms;
  return { busy: { ours: rate(took.ours), bare: rate(took.bare) }, single };
}

/** Each once, `IN_FLIGHT` at a time; how long it took, ms. */
async function together<T>(all: T[], step: (one: T) => Promise<void>): Promise<number> {
  const waiting = all.values();
  const from = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (const one of waiting) await step(one);
    }),
  );
  return performance.now() - from;
}

function billingOf(stage: Stage) {
  const platform = null;
  const prices = { currency: PRICE.currency, tierCents: { 1: 499, 2: 999, 3: 2499 } };
  const nobody = {
    streams: { findByUser: async () => null },
    chatBans: { banOf: async () => null },
    directory: { usersByIds: async () => new Map() },
  };
  const tips = createTips({ ...stage, ...nobody });
  return createBilling({
    ...stage,
    tips,
    paymentSettings: { platform, prices, returnBases: () => [] },
    onAlert: () => undefined,
  });
}

/** Somebody who has paid for the first month. */
async function subscribed({ mongo, subscriptions }: Stage): Promise<Subscribed> {
  const [id, checkoutId, subscriberId, channelUserId] = [newId(), newId(), newId(), newId()];
  const paidAt = new Date();
  const checkout: CheckoutDoc = {
    _id: checkoutId,
    order: { kind: "subscription", subscriberId, subscriptionId: id, tier: 1 },
    payerId: subscriberId,
    channelUserId,
    amountCents: PRICE.amount_cents,
    currency: PRICE.currency,
    session: null,
    paidAt,
    createdAt: paidAt,
    removeAt: null,
  };
  await checkoutsIn(mongo.db).begin(checkout);
  const people = { subscriberId, channelUserId };
  await subscriptions.paid(id, people, {
    id: checkoutId,
    happenedAt: paidAt.getTime(),
    isGift: false,
    giftedBy: null,
    tier: 1,
    priceCents: PRICE.amount_cents,
    platformId: `p:${checkoutId}`,
  });
  return { id, checkoutId };
}

/** The documents of the last renewal. */
async function writtenOf({ mongo: { db } }: Stage, { id }: Subscribed) {
  type Row = { _id: string };
  const of = (collection: string, filter: object) => db.collection<Row>(collection).findOne(filter);
  const [snapshot, subscription, timer, hook] = await Promise.all([
    of("snapshots", { _id: `subscription:${id}` }),
    of("subscriptions", { _id: id }),
    of("timers", { actor: `subscription:${id}` }),
    of("hooks", { "event.data.subscription_id": id }),
  ]);
  if (!snapshot || !subscription || !timer || !hook) throw new Error("a renewal writes all of these");
  return { snapshot, subscription, timer, hook };
}

async function requireAllBooked({ mongo: { db } }: Stage, all: Subscribed[]): Promise<void> {
  const renewals = all.length * (1 + ROUNDS + WARM_UP_ROUNDS) + SINGLE * (ROUNDS + WARM_UP_ROUNDS);
  const applied = await db
    .collection("hooks")
    .countDocuments({ state: "applied" }, { readConcern: { level: "local" } });
  if (applied !== renewals) throw new Error(`${renewals} were reported, ${applied} are applied`);
}
