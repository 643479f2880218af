import type { Db } from "mongodb";
import { type BetDoc, betIdOf, betsIn } from "../../store/mongo/bets.ts";
import type { EffectHandlers } from "../host/effect.ts";
import type { OutboxDraft } from "../host/outbox-draft.ts";
import { type Movement, pointsChanged, post } from "../points/post.ts";
import type { PredictionContext, SettlingBatch } from "./machine.ts";
import { sharesOf } from "./payout.ts";
import type { SlipsAhead } from "./slips-ahead.ts";
import type { PredictionTypes } from "./types.ts";
import { predictionDoc, predictionView } from "./view.ts";

/** What each effect means, written into the same transaction as the snapshot. */
export function predictionEffects(db: Db, ahead: SlipsAhead): EffectHandlers<PredictionTypes> {
  const bets = betsIn(db);
  return {
    announce: {
      write(all, { outbox }) {
        for (const { params, after } of all) {
          outbox.room(after.context.streamId, params.event, { ...predictionView(predictionDoc(after)) });
        }
      },
    },

    takeStake: {
      fold({ params: { userId, outcomeId, amount }, after }, work) {
        const slip = work.slips.get(userId) ?? newSlip(after.id, userId, outcomeId, after.at);
        work.slips.set(userId, { ...slip, amount: slip.amount + amount });
        work.balances.set(userId, (work.balances.get(userId) ?? 0) - amount);
        work.next = null; // read before this slip was there
      },
      async write(all, { session, outbox, work, now, id }) {
        const first = new Set(all.filter(({ params }) => params.first).map(({ params }) => params.userId));
        const bettors = [...new Set(all.map(({ params }) => params.userId))];
        const slips = bettors.flatMap((userId) => work.slips.get(userId) ?? []);
        const opened = slips.filter(({ userId }) => first.has(userId));
        const raised = slips.filter(({ userId }) => !first.has(userId));
        await bets.save(opened, raised, session);
        const movements = all.map(({ params, after }): Movement => {
          const { opId, userId, amount } = params;
          const { channelUserId } = after.context;
          return { key: `bet:${id}:${opId}`, userId, channelUserId, delta: -amount, reason: "bet", ref: id };
        });
        tellPoints(outbox, await post(db, movements, now, session));
      },
    },

    settleSlips: {
      fold(_one, work) {
        work.settled = work.next ?? [];
        work.next = null; // the ones after these are read with the next batch
      },
      async write(all, { session, outbox, work, now, id }) {
        for (const { params, after } of all) {
          if (!params.last) ahead.begin(id, params.to.cursor);
          const settled = settle(work.settled, params, after.context);
          const reason = isRefund(after.context) ? "refund" : "payout";
          const movements = settled
            .filter(({ payout }) => payout > 0)
            .map(({ slip, payout }): Movement => {
              const key = `${reason}:${slip._id}`;
              const { channelUserId } = after.context;
              return { key, userId: slip.userId, channelUserId, delta: payout, reason, ref: id };
            });
          outbox.users("prediction.result", settled.map(resultOf));
          tellPoints(outbox, await post(db, movements, now, session));
        }
      },
    },
  };
}

const newSlip = (predictionId: string, userId: string, outcomeId: string, placedAt: Date): BetDoc => ({
  _id: betIdOf(predictionId, userId),
  predictionId,
  userId,
  outcomeId,
  amount: 0,
  placedAt,
});

const tellPoints = (outbox: OutboxDraft, entries: Awaited<ReturnType<typeof post>>) =>
  outbox.users(
    "points.changed",
    entries.map((entry) => ({ userId: entry.userId, data: pointsChanged(entry) })),
  );

type Settled = { slip: BetDoc; payout: number };

/** Everybody gets the stake back when it was cancelled, and when nobody had backed the outcome that came. */
export function isRefund({ outcomes, resolvedOutcomeId }: PredictionContext): boolean {
  return (outcomes.find((outcome) => outcome.id === resolvedOutcomeId)?.pool ?? 0) === 0;
}

/** What each of these slips brings its holder. */
export function settle(slips: BetDoc[], { from }: SettlingBatch, context: PredictionContext): Settled[] {
  if (isRefund(context)) return slips.map((slip) => ({ slip, payout: slip.amount }));
  const pool = context.outcomes.reduce((sum, outcome) => sum + outcome.pool, 0);
  const winning = context.outcomes.find((outcome) => outcome.id === context.resolvedOutcomeId)?.pool ?? 0;
  const winners = slips.filter((slip) => slip.outcomeId === context.resolvedOutcomeId);
  const shares = sharesOf(
    winners.map((slip) => slip.amount),
    from.staked,
    winning,
    pool,
  );
  const payouts = new Map(winners.map((slip, i) => [slip._id, shares[i] ?? 0]));
  return slips.map((slip) => ({ slip, payout: payouts.get(slip._id) ?? 0 }));
}

const resultOf = ({ slip, payout }: Settled) => ({
  userId: slip.userId,
  data: { prediction_id: slip.predictionId, outcome_id: slip.outcomeId, amount: slip.amount, payout },
});
