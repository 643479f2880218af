import type { Db } from "mongodb";
import type { UserEvents } from "../../../contract/wire.ts";
import { type BetDoc, betIdOf, betsIn } from "../../../store/mongo/points/bets.ts";
import type { PredictionDoc } from "../../../store/mongo/points/predictions.ts";
import type { ViewerBars } from "../../channels/public.ts";
import { type EffectBatch, type EffectHandlers, eachOf } from "../../host/effect.ts";
import { type Posting, postAndNotify } from "../ledger/post.ts";
import type {
  BetsBatch,
  PredictionCommand,
  PredictionContext,
  PredictionEffects,
  PredictionEvent,
  PredictionInput,
} from "./machine.ts";
import { sharesOf } from "./payout.ts";
import { predictionDoc, predictionView } from "./view.ts";

/** What was read for a batch, kept up to date while the batch is decided. */
export type PredictionReads = {
  /** By user id: bets of users who bet or decide in this batch. */
  bets: Map<string, BetDoc>;
  /** By user id: points in this channel of users who bet in this batch. */
  balances: Map<string, number>;
  bars: ViewerBars;
};

export type PredictionAnswer = {
  prediction: PredictionDoc;
  /** `bet` and `balance` are the requesting user's, if this batch had to read them. */
  bet: BetDoc | null;
  balance: number | null;
};

export type PredictionTypes = {
  command: PredictionCommand;
  event: PredictionEvent;
  context: PredictionContext;
  input: PredictionInput;
  effects: PredictionEffects;
  reads: PredictionReads;
  answer: PredictionAnswer;
};

/** Effect handlers; they write in the same transaction as the snapshot. */
export function predictionEffects(db: Db): EffectHandlers<PredictionTypes> {
  const bets = betsIn(db);

  return {
    takeStake: {
      apply({ params: { userId, outcomeId, amount }, after }, reads) {
        const bet = reads.bets.get(userId) ?? newBet(after.id, userId, outcomeId, after.at);
        reads.bets.set(userId, { ...bet, amount: bet.amount + amount });
        reads.balances.set(userId, (reads.balances.get(userId) ?? 0) - amount);
      },
      async write(batches, session) {
        const written = batches.map(betsOf);
        await bets.save(
          written.flatMap(({ opened }) => opened),
          written.flatMap(({ raised }) => raised),
          session,
        );
        await postAndNotify(
          db,
          batches.map((batch) => ({ outbox: batch.outbox, movements: stakesOf(batch) })),
          session,
        );
      },
    },

    settleBets: {
      async write(batches, session) {
        const paid = batches.map(({ id, calls, outbox, now }) => {
          const movements = calls.flatMap(({ params, after }) => {
            const settled = settle(params, after.context);
            outbox.users("prediction.result", settled.map(resultOf));
            return payoutsOf(settled, after.context, { ref: id, at: now });
          });
          return { outbox, movements };
        });
        await postAndNotify(db, paid, session);
      },
    },

    announce: {
      write(batches) {
        for (const [{ params, after }, { outbox }] of eachOf(batches)) {
          outbox.room(after.context.streamId, params.event, predictionView(predictionDoc(after)));
        }
      },
    },
  };
}

const newBet = (predictionId: string, userId: string, outcomeId: string, placedAt: Date): BetDoc => ({
  _id: betIdOf(predictionId, userId),
  predictionId,
  userId,
  outcomeId,
  amount: 0,
  placedAt,
});

type Stakes = EffectBatch<PredictionTypes["effects"]["takeStake"], PredictionContext, PredictionReads>;

/** The bets after a batch: new ones, and those that it raised. */
function betsOf({ calls, reads }: Stakes) {
  const first = new Set(calls.filter(({ params }) => params.first).map(({ params }) => params.userId));
  const bettors = [...new Set(calls.map(({ params }) => params.userId))];
  const bets = bettors.flatMap((userId) => reads.bets.get(userId) ?? []);
  return {
    opened: bets.filter(({ userId }) => first.has(userId)),
    raised: bets.filter(({ userId }) => !first.has(userId)),
  };
}

const stakesOf = ({ calls, id, now: at }: Stakes): Posting[] =>
  calls.map(({ params: { opId, userId, amount }, after: { context } }) => ({
    key: `bet:${id}:${opId}`,
    userId,
    channelUserId: context.channelUserId,
    delta: -amount,
    reason: "bet",
    ref: id,
    at,
  }));

type Settled = { bet: BetDoc; payout: number };

function payoutsOf(
  settled: Settled[],
  context: PredictionContext,
  { ref, at }: Pick<Posting, "ref" | "at">,
): Posting[] {
  const reason = isRefund(context) ? "refund" : "payout";
  const { channelUserId } = context;
  return settled
    .filter(({ payout }) => payout > 0)
    .map(({ bet: { _id, userId }, payout: delta }) => {
      return { key: `${reason}:${_id}`, userId, channelUserId, delta, reason, ref, at };
    });
}

/** All stakes are refunded when the prediction was cancelled, or when nobody bet on the winning outcome. */
export function isRefund({ outcomes, resolvedOutcomeId }: PredictionContext): boolean {
  return (outcomes.find((outcome) => outcome.id === resolvedOutcomeId)?.pool ?? 0) === 0;
}

/** The payout of each of these bets. */
export function settle({ members: bets, from }: BetsBatch, context: PredictionContext): Settled[] {
  if (isRefund(context)) return bets.map((bet) => ({ bet, payout: bet.amount }));
  const pool = context.outcomes.reduce((sum, outcome) => sum + outcome.pool, 0);
  const winning = context.outcomes.find((outcome) => outcome.id === context.resolvedOutcomeId)?.pool ?? 0;
  const winners = bets.filter((bet) => bet.outcomeId === context.resolvedOutcomeId);
  const shares = sharesOf(
    winners.map((bet) => bet.amount),
    from.staked,
    winning,
    pool,
  );
  const payouts = new Map(winners.map((bet, i) => [bet._id, shares[i] ?? 0]));
  return bets.map((bet) => ({ bet, payout: payouts.get(bet._id) ?? 0 }));
}

const resultOf = ({ bet, payout }: Settled): { userId: string; data: UserEvents["prediction.result"] } => ({
  userId: bet.userId,
  data: { prediction_id: bet.predictionId, outcome_id: bet.outcomeId, amount: bet.amount, payout },
});
