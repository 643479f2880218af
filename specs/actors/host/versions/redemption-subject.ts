import { redemptionDefinition } from "../../../../actors/points/redemption/definition.ts";
import type { RedemptionContext } from "../../../../actors/points/redemption/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { accountOf, type BalanceDoc } from "../../../../store/mongo/points/balances.ts";
import type { RedemptionDoc } from "../../../../store/mongo/points/redemptions.ts";
import { rewardOffer } from "../../../support/reward-offer.ts";
import type { World } from "../world.ts";
import type { KeptSnapshot } from "./kept.ts";
import type { Stage, Subject } from "./stage.ts";

const CHANNEL = "0197b7a0-0000-7000-8000-00000000000c";

export function redemptionSubject(world: World): Subject {
  const { db } = world.mongo;
  const redemptions = db.collection<RedemptionDoc>("redemptions");

  async function bought(stage: Stage): Promise<string> {
    const id = newId();
    const input = { rewardId: newId(), redeemerId: newId(), boughtAt: world.clock.now() };
    await put(id, input);
    await stage.create(id, input);
    return id;
  }

  async function put(
    id: string,
    { rewardId, redeemerId, boughtAt }: Pick<RedemptionContext, "rewardId" | "redeemerId" | "boughtAt">,
  ): Promise<void> {
    const createdAt = new Date(boughtAt);
    const reward = { _id: rewardId, createdAt, ...rewardOffer({ cost: 250 }) };
    await redemptions.insertOne({
      _id: id,
      rewardId,
      channelUserId: CHANNEL,
      streamId: newId(),
      redeemerId,
      reward,
      userInput: null,
      status: "pending",
      createdAt,
      endedAt: null,
      endedBy: null,
    });
    const balance = { balance: 50, lifetimeEarned: 300, seq: 2 };
    await db.collection<BalanceDoc>("balances").insertOne({
      _id: accountOf(redeemerId, CHANNEL),
      userId: redeemerId,
      channelUserId: CHANNEL,
      ...balance,
    });
  }

  return {
    definition: redemptionDefinition(db),
    beside: ["redemptions", "balances", "ledger"],

    async drive(stage) {
      const done = await bought(stage);
      await stage.keep(done);
      await stage.send(done, { type: "fulfil" });
      await stage.keep(done);
      const refunded = await bought(stage);
      await stage.send(refunded, { type: "refund" });
      await stage.keep(refunded);
    },

    plant: ({ doc, context }: KeptSnapshot) =>
      put(doc._id.slice("redemption:".length), context as RedemptionContext),

    commands: () => ({ fulfil: { type: "fulfil" }, refund: { type: "refund" } }),
  };
}
