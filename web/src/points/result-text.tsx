import { TEXTS } from "../texts/texts.ts";
import { payoutOf } from "./odds.ts";
import { type Bet, isOver, type Prediction } from "./prediction.ts";

/** The reader's bet: what it would pay, or what came of it. */
export function ResultText({ prediction, bet }: { prediction: Prediction; bet: Bet | null }) {
  const texts = TEXTS.prediction;
  const outcome = prediction.outcomes.find(({ id }) => id === bet?.outcome_id);
  if (!bet || !outcome) return null;
  if (!isOver(prediction)) {
    return (
      <>
        <bdi>{texts.own(bet.amount, outcome.title)}</bdi>{" "}
        {outcome.points_pool > 0 && texts.ownPays(payoutOf(prediction, outcome, bet.amount, 0))}
      </>
    );
  }
  return <span data-result={resultOf(prediction, bet)}>{wordsOf(prediction, bet)}</span>;
}

type Result = "paying" | "won" | "lost" | "returned";

function resultOf(prediction: Prediction, { outcome_id, payout, amount }: Bet): Result {
  const { status, resolved_outcome_id, outcomes } = prediction;
  const winner = outcomes.find(({ id }) => id === resolved_outcome_id);
  // With nobody on the winning outcome all stakes are given back.
  const isReturned = status === "cancelled" || winner?.points_pool === 0;
  if (payout === null) return isReturned || outcome_id === resolved_outcome_id ? "paying" : "lost";
  if (isReturned && payout === amount) return "returned";
  return payout === 0 ? "lost" : "won";
}

function wordsOf(prediction: Prediction, bet: Bet): string {
  const texts = TEXTS.prediction;
  switch (resultOf(prediction, bet)) {
    case "paying":
      return texts.paying;
    case "lost":
      return texts.lost(bet.amount);
    case "returned":
      return texts.returned(bet.payout ?? bet.amount);
    case "won":
      return texts.won(bet.payout ?? 0);
  }
}
