import { expect } from "chai";
import { subscriptionDefinition } from "../../../../actors/monetization/subscription/definition.ts";
import { newId } from "../../../../base/ids.ts";
import type { SubscriptionDoc } from "../../../../store/mongo/monetization/subscriptions.ts";
import type { Subject } from "../../host/subject.ts";
import type { Driver, Stage } from "../../host/versions/stage.ts";
import type { World } from "../../host/world.ts";

const DAY = 86_400_000;

function driver(world: World): Driver {
  const paid = (change: object = {}, happenedAt = world.clock.now()) =>
    ({
      type: "paid" as const,
      id: newId(),
      happenedAt,
      isGift: false,
      giftedBy: null,
      tier: 2,
      priceCents: 999,
      platformId: "sub_1",
      ...change,
    }) as const;
  const common = (happenedAt = world.clock.now()) => ({ id: newId(), happenedAt });
  const renewal = { type: "renewed", amountCents: 499, platformId: "sub_1" } as const;

  async function begun(stage: Stage): Promise<string> {
    const { userId: channelUserId } = await world.stream();
    const id = newId();
    const { type: _, ...first } = paid();
    await stage.create(id, { subscriberId: await world.user(), channelUserId, first });
    return id;
  }

  return {
    definition: subscriptionDefinition(world.mongo.db),
    beside: ["subscriptions", "streams", "stream_titles", "users", "platform_calls"],

    async drive(stage) {
      // Months differ in length: what is kept must not depend on the current date.
      world.move(Date.UTC(2200, 0, 1) - world.clock.now());
      const id = await begun(stage);
      await stage.send(id, { type: "downgrade", ...common(), tier: 1, priceCents: 499 });
      await stage.send(id, paid({ isGift: true, giftedBy: "giver", platformId: null }));
      await stage.keep(id);
      await stage.send(id, { type: "paymentFailed", ...common(), platformId: "sub_1" });
      await stage.keep(id);
      world.move(DAY);
      await stage.send(id, { ...renewal, ...common() });
      await stage.send(id, { type: "cancel", ...common() });
      await stage.keep(id);
      await stage.fireNext(id);
      await stage.keep(id);
    },

    plant: async () => undefined,

    // They happen at the time it was kept, whenever they are sent.
    commands({ doc: { updatedAt } }) {
      const at = updatedAt.getTime();
      return {
        paid: paid({ platformId: "sub_2" }, at),
        "paid, a gift": paid({ isGift: true, giftedBy: "giver", platformId: null }, at),
        renewed: { ...renewal, ...common(at) },
        paymentFailed: { type: "paymentFailed", ...common(at), platformId: "sub_1" },
        stopped: { type: "stopped", ...common(at), platformId: "sub_1" },
        resumed: { type: "resumed", ...common(at), platformId: "sub_1" },
        ended: { type: "ended", ...common(at), platformId: "sub_1" },
        cancel: { type: "cancel", ...common(at) },
        resume: { type: "resume", ...common(at) },
        downgrade: { type: "downgrade", ...common(at), tier: 1, priceCents: 499 },
      };
    },
  };
}

export const subscriptionSubject: Subject = {
  machine: "subscription",
  driver,
  timers: {
    active: ["subscription.active"],
    past_due: ["subscription.past_due"],
    cancelled: ["subscription.cancelled"],
  },
  async agrees(db, { id, status }) {
    const doc = await db.collection<SubscriptionDoc>("subscriptions").findOne({ _id: id });
    expect(doc?.status, `the document of subscription ${id}`).equal(status);
  },
  // Of payments.
  announces: null,
  ofChannel: (db, { channelUserId }) =>
    db.collection<SubscriptionDoc>("subscriptions").distinct("_id", { channelUserId }),
};
