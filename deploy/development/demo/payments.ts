import { atOnce } from "./at-once.ts";
import type { Account } from "./cast.ts";
import { pressButton } from "./checkout-page.ts";
import { type Check, check } from "./report.ts";
import { type Stage, signedIn, until } from "./stage.ts";

const SUBSCRIBERS = 6;
const TIP_CENTS = 500;
const TIERS = [1, 2, 3] as const;

type Subscriber = { account: Account; tier: (typeof TIERS)[number] };
type Paying = { subscribers: Subscriber[]; againCode: string };

/** Some viewers subscribe and one tips: each opens a checkout and presses "Pay" on its page, which sends the signed webhook. */
export async function pay(stage: Stage): Promise<Paying> {
  const { creator, progress } = stage;
  const channel = { channel_user_id: creator.userId };
  const subscribers = signedIn(stage.viewers)
    .slice(0, SUBSCRIBERS)
    .map(({ account }, i): Subscriber => ({ account, tier: TIERS[i % TIERS.length] ?? 1 }));
  await atOnce(2, subscribers, async ({ account, tier }) => {
    const body = { ...channel, tier };
    await payFor(await account.client.call("createSubscriptionCheckout", { body }));
  });
  const [first] = subscribers;
  const [tier] = (await creator.client.call("listSubscriptionTiers", { path: { user_id: creator.userId } }))
    .items;
  if (!first || !tier) throw new Error("There is nobody to tip, or nothing to pay with.");
  const tip = {
    to_user_id: creator.userId,
    amount_cents: TIP_CENTS,
    currency: tier.currency,
    message: "What a run!",
  };
  await payFor(await first.account.client.call("createTipCheckout", { body: tip }));
  await untilBooked(stage, subscribers.length);
  await untilShown(stage);
  const body = { ...channel, tier: first.tier };
  const again = await first.account.client.attempt("createSubscriptionCheckout", { body });
  progress.done(
    `${subscribers.length} subscriptions and a tip paid on the checkout's page, by the hooks that it sends`,
  );
  return { subscribers, againCode: again.ok ? "-" : again.error.code };
}

async function payFor({ checkout_url: url }: { checkout_url: string | null }): Promise<void> {
  if (url === null) throw new Error("The checkout has no page.");
  await pressButton(url, "Pay");
}

/** A webhook is answered once it is stored; it may be applied a moment later. */
async function untilBooked(stage: Stage, subscriptions: number): Promise<void> {
  await until(
    stage,
    async () => {
      const [subscribed, tipped] = [await subscribersOf(stage), await tipsOf(stage)];
      return subscribed.length === subscriptions && tipped.length === 1 ? true : null;
    },
    {
      waitingFor: "the payments to be booked, a moment after they were reported",
      withinMs: 20_000,
      late: () => "What was paid isn't booked.",
    },
  );
}

/** The room shows the tip's message, which has the tip's id, in its chat. */
async function untilShown(stage: Stage): Promise<void> {
  await until(
    stage,
    async () => {
      const [tip] = await tipsOf(stage);
      if (tip?.message_state !== "shown") return null;
      stage.tally.acknowledged.add(tip.id);
      return true;
    },
    {
      waitingFor: "the room to show the tip's message",
      withinMs: 20_000,
      late: () => "The room doesn't show the tip's message.",
    },
  );
}

const subscribersOf = async ({ creator }: Stage) =>
  (await creator.client.call("listMySubscribers", { query: { per_page: 100 } })).items.filter(
    ({ status }) => status === "active",
  );
const tipsOf = async ({ creator }: Stage) =>
  (await creator.client.call("listMyTips", { query: { per_page: 100 } })).items.filter(
    ({ status }) => status === "completed",
  );

export async function auditPayments(stage: Stage, { subscribers, againCode }: Paying): Promise<Check[]> {
  const { creator, viewers } = stage;
  const entitled = await atOnce(4, subscribers, async ({ account, tier }) => {
    const { items } = await account.client.call("listMySubscriptions");
    return items.some(
      (one) => one.channel_user_id === creator.userId && one.tier === tier && one.status === "active",
    );
  });
  const cents = (await tipsOf(stage)).reduce((sum, tip) => sum + tip.amount_cents, 0);
  return [
    check("subscribers, as the creator sees them", subscribers.length, (await subscribersOf(stage)).length),
    check("of them with the tier that they paid for", subscribers.length, entitled.filter(Boolean).length),
    check("subscribing twice is refused with", "already_subscribed", againCode),
    check("cents of tips", TIP_CENTS, cents),
    check(
      "viewers that saw each payment once",
      viewers.length,
      viewers.filter(({ seen }) => seen.payments === subscribers.length + 1).length,
    ),
  ];
}
