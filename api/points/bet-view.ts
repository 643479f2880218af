import type { Bet } from "../../contract/wire.ts";
import type { BetDoc } from "../../store/mongo/points/bets.ts";

/** `payout` is null until the bet is paid out or given back, 0 when it lost. */
export function betView(bet: BetDoc, payout: number | null): Bet {
  return {
    prediction_id: bet.predictionId,
    outcome_id: bet.outcomeId,
    amount: bet.amount,
    payout,
    placed_at: bet.placedAt.toISOString(),
  };
}
