import { predictionDefinition } from "../../../../actors/points/prediction/definition.ts";
import type { PredictionContext } from "../../../../actors/points/prediction/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { accountOf, type BalanceDoc } from "../../../../store/mongo/points/balances.ts";
import { type BetDoc, betIdOf } from "../../../../store/mongo/points/bets.ts";
import type { World } from "../world.ts";
import type { KeptSnapshot } from "./kept.ts";
import type { Stage, Subject } from "./stage.ts";

const YES = "0197b7a0-0000-7000-8000-00000000000a";
const NO = "0197b7a0-0000-7000-8000-00000000000b";

export function predictionSubject(world: World): Subject {
  const bet = (userId: string, outcomeId: string, amount: number) =>
    ({ type: "bet", opId: newId(), userId, outcomeId, amount }) as const;

  /** An open prediction with three bets. */
  async function opened(stage: Stage): Promise<string> {
    const stream = await world.stream();
    const [id, moderator] = [newId(), newId()];
    await stage.create(id, {
      streamId: stream._id,
      channelUserId: stream.userId,
      title: "Does the boss fall at the first try?",
      outcomes: [
        { id: YES, title: "At once", color: "#1f69ff" },
        { id: NO, title: "Never", color: null },
      ],
      durationMs: 120_000,
      createdBy: moderator,
    });
    const [one = "", two = "", three = ""] = await world.viewers(stream, 3, 5_000);
    await Promise.all([
      stage.send(id, bet(one, YES, 250)),
      stage.send(id, bet(two, YES, 1_000)),
      stage.send(id, bet(three, NO, 4_321)),
    ]);
    return id;
  }

  return {
    definition: predictionDefinition(world.mongo.db),
    beside: ["predictions", "bets", "balances"],

    async drive(stage) {
      const won = await opened(stage);
      await stage.keep(won);
      await stage.send(won, { type: "lock" });
      await stage.keep(won);
      await stage.send(won, { type: "resolve", outcomeId: YES });
      await stage.keep(won);
      await stage.fireNext(won);
      await stage.keep(won);

      const calledOff = await opened(stage);
      await stage.send(calledOff, { type: "cancel" });
      await stage.keep(calledOff);
      await stage.fireNext(calledOff);
      await stage.keep(calledOff);
    },

    async plant(kept) {
      const { db } = world.mongo;
      const { predictionId, channelUserId, outcomes } = partsOf(kept);
      // One bettor per pool: a settled outcome pays the same.
      const bets = outcomes.map(({ id, pool }): BetDoc => {
        const userId = newId();
        const placedAt = kept.doc.createdAt;
        return {
          _id: betIdOf(predictionId, userId),
          predictionId,
          userId,
          outcomeId: id,
          amount: pool,
          placedAt,
        };
      });
      const account = (userId: string, balance: number): BalanceDoc => {
        const _id = accountOf(userId, channelUserId);
        return { _id, userId, channelUserId, balance, lifetimeEarned: balance, seq: 1 };
      };
      await db.collection<BetDoc>("bets").insertMany(bets);
      await db
        .collection<BalanceDoc>("balances")
        .insertMany([account("newcomer", 500), ...bets.map((bet) => account(bet.userId, 0))]);
    },

    commands: () => ({
      bet: bet("newcomer", YES, 100),
      lock: { type: "lock" },
      resolve: { type: "resolve", outcomeId: YES },
      cancel: { type: "cancel" },
    }),
  };
}

/** The fields that other documents depend on, in any version. */
function partsOf({ doc, context }: KeptSnapshot) {
  const { channelUserId, outcomes } = context as Pick<PredictionContext, "channelUserId" | "outcomes">;
  return { predictionId: doc._id.slice("prediction:".length), channelUserId, outcomes };
}
