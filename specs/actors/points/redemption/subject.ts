import { expect } from "chai";
import { redemptionDefinition } from "../../../../actors/points/redemption/definition.ts";
import type { RedemptionContext } from "../../../../actors/points/redemption/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { accountOf, type BalanceDoc } from "../../../../store/mongo/points/balances.ts";
import type { RedemptionDoc } from "../../../../store/mongo/points/redemptions.ts";
import { rewardOffer } from "../../../support/reward-offer.ts";
import type { Subject } from "../../host/subject.ts";
import type { KeptSnapshot } from "../../host/versions/kept.ts";
import type { Driver, Stage } from "../../host/versions/stage.ts";
import type { World } from "../../host/world.ts";

const CHANNEL = "0197b7a0-0000-7000-8000-00000000000c";

function driver(world: World): Driver {
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

export const redemptionSubject: Subject = {
  machine: "redemption",
  driver,
  timers: { pending: ["redemption.pending"] },
  async agrees(db, { id, status }) {
    const doc = await db.collection<RedemptionDoc>("redemptions").findOne({ _id: id });
    expect(doc?.status, `the document of redemption ${id}`).equal(status);
  },
  // When a reward is deleted, its redemptions are announced by the reward.
  announces: ({ event, before }) =>
    before !== undefined && event !== "rewardDeleted" ? ["redemption.updated"] : [],
  ofChannel: (db, { streamId }) => db.collection<RedemptionDoc>("redemptions").distinct("_id", { streamId }),
  /** The room received the purchase and the end, at least once each, and the redeemer the end. */
  async expectEnd(db, id, { published: { room, privateEvents } }) {
    const doc = await db.collection<RedemptionDoc>("redemptions").findOne({ _id: id });
    if (!doc) throw new Error(`redemption ${id} has no document`);
    const { redeemerId, status } = doc;
    const received = room
      .filter(({ data }) => Object(data).id === id)
      .map(({ type, data }) => `${type} ${Object(data).status}`);
    const due = [
      "redemption.created pending",
      ...(status === "pending" ? [] : [`redemption.updated ${status}`]),
    ];
    expect([...new Set(received)].sort(), `what the room received of ${id}`).deep.equal(due);
    const own = privateEvents.filter(({ type, data }) => type === "redemption.updated" && data.id === id);
    const ends = new Set(own.map(({ userId, data }) => `${userId} ${String(data.status)}`));
    expect([...ends], `what its redeemer received of ${id}`).deep.equal(
      status === "pending" ? [] : [`${redeemerId} ${status}`],
    );
  },
};
