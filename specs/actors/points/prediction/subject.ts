import { expect } from "chai";
import type { Db } from "mongodb";
import { SETTLE_TAKEOVER_MS } from "../../../../actors/host/settling.ts";
import { predictionDefinition } from "../../../../actors/points/prediction/definition.ts";
import {
  type PredictionContext,
  RESOLUTION_TIMEOUT_MS,
} from "../../../../actors/points/prediction/machine.ts";
import { newId } from "../../../../base/ids.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import { accountOf, type BalanceDoc } from "../../../../store/mongo/points/balances.ts";
import { type BetDoc, betIdOf } from "../../../../store/mongo/points/bets.ts";
import type { PredictionDoc } from "../../../../store/mongo/points/predictions.ts";
import { expectSettled } from "../../host/invariants.ts";
import type { StoredActor, Subject } from "../../host/subject.ts";
import { eachOf, setClock } from "../../host/timers-after-downtime/waiting.ts";
import type { KeptSnapshot } from "../../host/versions/kept.ts";
import type { Driver, Stage } from "../../host/versions/stage.ts";
import type { World } from "../../host/world.ts";
import { expectPrivateEvents } from "./private-events.ts";

const YES = "0197b7a0-0000-7000-8000-00000000000a";
const NO = "0197b7a0-0000-7000-8000-00000000000b";

function driver(world: World): Driver {
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

async function expectDocument(db: Db, { id, path, status, context }: StoredActor): Promise<void> {
  const doc = await db.collection<PredictionDoc>("predictions").findOne({ _id: id });
  expect(doc, `the document of prediction ${id}`).deep.include({
    status,
    isOpen: status === "active" || status === "locked",
    isSettled: path === "resolved.paid" || path === "cancelled.refunded",
    streamId: context.streamId,
    resolvedOutcomeId: context.resolvedOutcomeId,
    locksAt: new Date(Number(context.locksAt)),
  });
  const pools = doc?.outcomes.map(({ id, title, color, pointsPool: pool, bettorCount: bettors }) => ({
    id,
    title,
    color,
    pool,
    bettors,
  }));
  expect(context.outcomes, `the pools of prediction ${id}`).deep.equal(pools);
}

/** The event that ends the betting. */
export const BETTING_OVER = "xstate.after.betting.prediction.active";
const BETTING_MS = 60_000;

const open = (world: World, stream: StreamDoc) =>
  world.predictions.open({
    stream,
    title: "?",
    outcomes: [{ title: "yes" }, { title: "no" }],
    durationSeconds: BETTING_MS / 1_000,
    by: stream.userId,
  });

const waiting: Subject["waiting"] = {
  betting: {
    event: BETTING_OVER,
    make: (world, dues) =>
      eachOf(dues, async (due) => {
        const stream = await world.stream();
        setClock(world, due - BETTING_MS);
        await open(world, stream);
      }),
  },

  resolution: {
    event: "xstate.after.forgotten.prediction.locked",
    make: (world, dues) =>
      eachOf(dues, async (due) => {
        const stream = await world.stream();
        // While bets are accepted: a lock after that would be too late.
        setClock(world, due - RESOLUTION_TIMEOUT_MS);
        const { _id } = await open(world, stream);
        setClock(world, due - RESOLUTION_TIMEOUT_MS);
        await world.predictions.lock(_id, newId());
      }),
  },

  /** A process died while it refunded the stakes. */
  settle: {
    event: "settle",
    async make(world, dues) {
      const opened: { id: string; due: number }[] = [];
      await eachOf(dues, async (due) => {
        const stream = await world.stream();
        const [userId = ""] = await world.viewers(stream, 1, 100);
        setClock(world, due - SETTLE_TAKEOVER_MS);
        const { _id: id, outcomes } = await open(world, stream);
        setClock(world, due - SETTLE_TAKEOVER_MS);
        await world.predictions.bet({
          predictionId: id,
          outcomeId: outcomes[0]?.id ?? "",
          amount: 60,
          userId,
        });
        opened.push({ id, due });
      });
      // Stopped during the cancellations, it finishes them and leaves the refunds to others.
      const dying = world.rival();
      const cancelled = opened.map(({ id, due }) => {
        setClock(world, due - SETTLE_TAKEOVER_MS);
        return dying.predictions.cancel(id, newId());
      });
      await dying.stop();
      await Promise.all(cancelled);
    },
  },
};

export const predictionSubject: Subject = {
  machine: "prediction",
  driver,
  timers: {
    active: ["prediction.active"],
    locked: ["prediction.locked"],
    "resolved.paying": ["settle"],
    "cancelled.refunding": ["settle"],
  },
  agrees: expectDocument,
  announces: ({ after }) => [`prediction.${after === "active" ? "opened" : after}`],
  ofChannel: (db, { streamId }) => db.collection<PredictionDoc>("predictions").distinct("_id", { streamId }),
  async expectEnd(db, id, { published }) {
    await expectSettled(db, id);
    await expectPrivateEvents(db, published, id);
  },
  waiting,
};
