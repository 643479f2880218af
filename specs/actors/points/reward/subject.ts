import { expect } from "chai";
import { rewardDefinition } from "../../../../actors/points/reward/definition.ts";
import type { RewardContext } from "../../../../actors/points/reward/machine.ts";
import { newId } from "../../../../base/ids.ts";
import type { UserDoc } from "../../../../store/mongo/accounts/users.ts";
import { accountOf, type BalanceDoc } from "../../../../store/mongo/points/balances.ts";
import type { RedemptionDoc } from "../../../../store/mongo/points/redemptions.ts";
import type { RewardDoc } from "../../../../store/mongo/points/rewards.ts";
import type { Subject } from "../../host/subject.ts";
import type { Command, Driver, Stage } from "../../host/versions/stage.ts";
import type { World } from "../../host/world.ts";

function driver(world: World): Driver {
  const redeem = (userId: string) =>
    ({ type: "redeem", redemptionId: newId(), userId, userInput: "anything" }) as const;

  /** A reward that was redeemed once. */
  async function offered(stage: Stage): Promise<{ id: string; owner: string }> {
    const stream = await world.stream();
    const id = newId();
    await stage.create(id, {
      title: "Name the boss",
      description: "Once an hour.",
      cost: 250,
      isEnabled: true,
      isPaused: false,
      requiresInput: true,
      skipQueue: false,
      cooldownSeconds: null,
      maxPerStream: 5,
      maxPerUserPerStream: null,
      channelUserId: stream.userId,
      streamId: stream._id,
    });
    const viewer = await world.user();
    await world.give(viewer, stream, 1_000);
    await stage.send(id, redeem(viewer));
    return { id, owner: stream.userId };
  }

  return {
    definition: rewardDefinition(world.mongo.db),
    beside: ["rewards", "redemptions", "balances", "ledger", "users", "chat_bans", "broadcasts"],

    async drive(stage) {
      const { id, owner } = await offered(stage);
      await stage.keep(id);
      await stage.send(id, { type: "delete", userId: owner });
      await stage.keep(id);
      await stage.fireNext(id);
      await stage.keep(id);
    },

    async plant({ context }) {
      const { channelUserId } = context as RewardContext;
      const { db } = world.mongo;
      const account = { userId: "newcomer", channelUserId };
      await db.collection<UserDoc>("users").insertOne({ _id: "newcomer" } as UserDoc);
      await db.collection<BalanceDoc>("balances").insertOne({
        _id: accountOf("newcomer", channelUserId),
        ...account,
        balance: 500,
        lifetimeEarned: 500,
        seq: 1,
      });
    },

    commands: ({ context }): Record<string, Command> => ({
      redeem: redeem("newcomer"),
      change: { type: "change", offer: { cost: 300, isPaused: true } },
      delete: { type: "delete", userId: String((context as RewardContext).channelUserId) },
    }),
  };
}

export const rewardSubject: Subject = {
  machine: "reward",
  driver,
  timers: { "deleted.refunding": ["settle"] },
  async agrees(db, { id, status, context }) {
    const doc = await db.collection<RewardDoc>("rewards").findOne({ _id: id });
    if (status !== "deleted") {
      expect(doc, `the document of reward ${id}`).include({ title: context.title, cost: context.cost });
      return;
    }
    expect(doc, `the deleted reward ${id}`).equal(null);
    const pending = await db.collection("redemptions").countDocuments({ rewardId: id, status: "pending" });
    expect(pending, `pending redemptions of the deleted reward ${id}`).equal(0);
  },
  // Of redemptions and changed offers.
  announces: null,
  ofChannel: (db, { streamId }) =>
    db.collection<RedemptionDoc>("redemptions").distinct("rewardId", { streamId }),
};
