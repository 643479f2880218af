import type { ClientSession, Db } from "mongodb";
import { type BetDoc, betIdOf, betsIn } from "../../store/mongo/bets.ts";
import { type EffectHandlers, eachOf, type Portion } from "../host/effect.ts";
import type { OutboxDraft } from "../host/outbox-draft.ts";
import { type Posting, pointsChanged, post } from "../points/post.ts";
import type { PredictionContext, SlipsBatch } from "./machine.ts";
import { sharesOf } from "./payout.ts";
import type { PredictionTypes, PredictionWork } from "./types.ts";
import { predictionDoc, predictionView } from "./view.ts";

/** What each effect means, written into the same transaction as the snapshot. */
export function predictionEffects(db: Db): EffectHandlers<PredictionTypes> {
  const bets = betsIn(db);

  /** Moves the points of each portion, and tells whose they are. */
  async function move(
    portions: { outbox: OutboxDraft }[],
    movements: Posting[][],
    session: ClientSession,
  ): Promise<void> {
    const entries = await post(db, movements.flat(), session);
    for (const [i, { outbox }] of portions.entries()) {
      const own = entries.splice(0, movements[i]?.length);
      const points = own.map((entry) => ({ userId: entry.userId, data: pointsChanged(entry) }));
      outbox.users("points.changed", points);
    }
  }

  return {
    takeStake: {
      fold({ params: { userId, outcomeId, amount }, after }, work) {
        const slip = work.slips.get(userId) ?? newSlip(after.id, userId, outcomeId, after.at);
        work.slips.set(userId, { ...slip, amount: slip.amount + amount });
        work.balances.set(userId, (work.balances.get(userId) ?? 0) - amount);
      },
      async write(portions, session) {
        const slips = portions.map(slipsOf);
        await bets.save(
          slips.flatMap(({ opened }) => opened),
          slips.flatMap(({ raised }) => raised),
          session,
        );
        await move(portions, portions.map(stakesOf), session);
      },
    },

    settleSlips: {
      async write(portions, session) {
        const movements = portions.map(({ id, all, outbox, now }) =>
          all.flatMap(({ params, after }) => {
            const settled = settle(params, after.context);
            outbox.users("prediction.result", settled.map(resultOf));
            return payoutsOf(settled, after.context, { ref: id, at: now });
          }),
        );
        await move(portions, movements, session);
      },
    },

    announce: {
      write(portions) {
        for (const [{ params, after }, { outbox }] of eachOf(portions)) {
          outbox.room(after.context.streamId, params.event, { ...predictionView(predictionDoc(after)) });
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

type Stakes = Portion<PredictionTypes["effects"]["takeStake"], PredictionContext, PredictionWork>;

/** The slips that a batch of bets leaves: those that are new, and those that it raised. */
function slipsOf({ all, work }: Stakes) {
  const first = new Set(all.filter(({ params }) => params.first).map(({ params }) => params.userId));
  const bettors = [...new Set(all.map(({ params }) => params.userId))];
  const slips = bettors.flatMap((userId) => work.slips.get(userId) ?? []);
  return {
    opened: slips.filter(({ userId }) => first.has(userId)),
    raised: slips.filter(({ userId }) => !first.has(userId)),
  };
}

const stakesOf = ({ all, id, now: at }: Stakes): Posting[] =>
  all.map(({ params: { opId, userId, amount }, after: { context } }) => ({
    key: `bet:${id}:${opId}`,
    userId,
    channelUserId: context.channelUserId,
    delta: -amount,
    reason: "bet",
    ref: id,
    at,
  }));

type Settled = { slip: BetDoc; payout: number };

function payoutsOf(
  settled: Settled[],
  context: PredictionContext,
  { ref, at }: Pick<Posting, "ref" | "at">,
): Posting[] {
  const reason = isRefund(context) ? "refund" : "payout";
  const { channelUserId } = context;
  return settled
    .filter(({ payout }) => payout > 0)
    .map(({ slip: { _id, userId }, payout: delta }) => {
      return { key: `${reason}:${_id}`, userId, channelUserId, delta, reason, ref, at };
    });
}

/** Everybody gets the stake back when it was cancelled, and when nobody had backed the outcome that came. */
export function isRefund({ outcomes, resolvedOutcomeId }: PredictionContext): boolean {
  return (outcomes.find((outcome) => outcome.id === resolvedOutcomeId)?.pool ?? 0) === 0;
}

/** What each of these slips brings its holder. */
export function settle({ members: slips, from }: SlipsBatch, context: PredictionContext): Settled[] {
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
