import { subscriptionDefinition } from "../../../actors/subscription/definition.ts";
import { newId } from "../../../store/ids.ts";
import type { World } from "../world.ts";
import type { Stage, Subject } from "./stage.ts";

const DAY = 86_400_000;

export function subscriptionSubject(world: World): Subject {
  const now = () => world.clock.now();
  const paid = (change: object = {}) =>
    ({
      ...{ type: "paid" as const, id: newId(), happenedAt: now(), isGift: false, giftedBy: null },
      ...{ tier: 2, priceCents: 999, platformId: "sub_1", ...change },
    }) as const;
  const told = (type: "paymentFailed" | "stopped" | "ended") => ({
    ...{ type, id: newId(), happenedAt: now(), platformId: "sub_1" },
  });
  const asked = () => ({ id: newId(), happenedAt: now() });

  async function begun(stage: Stage): Promise<string> {
    const { userId: channelUserId } = await world.stream();
    const id = newId();
    const { type: _, ...first } = paid();
    await stage.create(id, { subscriberId: await world.user(), channelUserId, first });
    return id;
  }

  return {
    definition: subscriptionDefinition(world.mongo.db),
    beside: ["subscriptions", "streams", "users", "platform_calls"],

    async drive(stage) {
      const id = await begun(stage);
      await stage.tell(id, { type: "downgrade", ...asked(), tier: 1, priceCents: 499 });
      await stage.tell(id, paid({ isGift: true, giftedBy: "giver", platformId: null }));
      await stage.keep(id);
      await stage.tell(id, told("paymentFailed"));
      await stage.keep(id);
      world.move(DAY);
      await stage.tell(id, {
        type: "renewed",
        id: newId(),
        happenedAt: now(),
        amountCents: 499,
        platformId: "sub_1",
      });
      await stage.tell(id, { type: "cancel", ...asked() });
      await stage.keep(id);
      await stage.fireNext(id);
      await stage.keep(id);
    },

    plant: async () => undefined,

    commands: () => ({
      paid: paid({ platformId: "sub_2" }),
      "paid, a gift": paid({ isGift: true, giftedBy: "giver", platformId: null }),
      renewed: { type: "renewed", id: newId(), happenedAt: now(), amountCents: 999, platformId: "sub_1" },
      paymentFailed: told("paymentFailed"),
      stopped: told("stopped"),
      ended: told("ended"),
      cancel: { type: "cancel", ...asked() },
      resume: { type: "resume", ...asked() },
      downgrade: { type: "downgrade", ...asked(), tier: 1, priceCents: 499 },
    }),
  };
}
