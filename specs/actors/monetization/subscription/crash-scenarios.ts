import {
  type Ask,
  asking,
  type CrashScenarios,
  type Services,
  type Stage,
} from "../../host/crash/scenario.ts";
import type { World } from "../../host/world.ts";

const TIP_CENTS = 700;
const MONTH_MS = 31 * 86_400_000;

// A stage has one of each; they use ids that the stage has anyway.
type Named = { _id: string; userId: string };
const tipOf = ({ _id }: Named) => _id;
const subscriptionOf = ({ _id }: Named) => _id;
const checkoutOf = ({ userId }: Named) => userId;

/** A platform's report; it is sent until it is answered. */
const platformReport = (name: string, run: Ask["run"]): Ask => ({ name, repeat: "harmless", run });
const tipPaid = platformReport("tip paid", ({ paying }, stream) => paying.tipPaid(tipOf(stream), TIP_CENTS));
const checkoutPaid = platformReport("checkout paid", ({ paying }, stream) =>
  paying.checkoutPaid(checkoutOf(stream)),
);
const paymentFailed = platformReport("payment failed", ({ paying }, stream) =>
  paying.paymentFailed(checkoutOf(stream), subscriptionOf(stream)),
);

const refundTip: Ask = {
  name: "refund a tip",
  repeat: "same answer",
  run: ({ paying }, stream) => paying.refundTip(tipOf(stream), { by: stream.userId, key: "refund" }),
};
const unsubscribe: Ask = {
  name: "unsubscribe",
  repeat: "same answer",
  async run({ subscriptions }, stream) {
    const id = subscriptionOf(stream);
    const { subscriberId } = await subscriptions.require(id);
    return subscriptions.cancel(id, { by: subscriberId, key: `cancel:${id}` });
  },
};

export const paymentCrashes: CrashScenarios = {
  scenarios: [
    { name: "a tip and its refund", prepare: tipBegun, steps: () => asking(tipPaid, refundTip) },
    { name: "subscribe and cancel", prepare: checkoutBegun, steps: () => asking(checkoutPaid, unsubscribe) },
    { name: "a report that waits", prepare: checkoutBegun, steps: () => asking(paymentFailed, checkoutPaid) },
    {
      name: "a subscription's end",
      prepare: cancelled,
      steps: () => [{ phase: "end of the month", passMs: MONTH_MS }],
    },
  ],
};

async function begun(world: World): Promise<Stage> {
  const { _id, userId } = await world.stream();
  return { stream: { _id, userId }, viewers: [], predictionId: null };
}

async function tipBegun({ paying }: Services, world: World): Promise<Stage> {
  const stage = await begun(world);
  const people = { fromUserId: await world.user(), toUserId: stage.stream.userId };
  await paying.beginTip(tipOf(stage.stream), people, TIP_CENTS);
  return stage;
}

async function checkoutBegun({ paying }: Services, world: World): Promise<Stage> {
  const stage = await begun(world);
  const people = { subscriberId: await world.user(), channelUserId: stage.stream.userId };
  await paying.beginSubscription(checkoutOf(stage.stream), subscriptionOf(stage.stream), people);
  return stage;
}

async function cancelled(actors: Services, world: World): Promise<Stage> {
  const stage = await checkoutBegun(actors, world);
  await actors.paying.checkoutPaid(checkoutOf(stage.stream));
  const id = subscriptionOf(stage.stream);
  const { subscriberId: by } = await actors.subscriptions.require(id);
  await actors.subscriptions.cancel(id, { by });
  await actors.host.idle();
  return stage;
}
