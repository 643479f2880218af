import type { BetDoc } from "../../store/mongo/bets.ts";
import type { PayoutProgress } from "./machine.ts";

/** Where it stands after these bets, of which there is at least one. */
export function progressAfter(
  { cursor, staked }: PayoutProgress,
  bets: BetDoc[],
  { resolvedOutcomeId }: { resolvedOutcomeId: string | null },
): PayoutProgress {
  const winning = bets.filter((bet) => bet.outcomeId === resolvedOutcomeId);
  return {
    cursor: bets.at(-1)?._id ?? cursor,
    staked: winning.reduce((sum, bet) => sum + bet.amount, staked),
  };
}

/** Sum of the first shares that belong to that much of the winning stakes. Products pass 2^53, so BigInt. */
function paidUpTo(staked: number, winning: number, pool: number): bigint {
  return (BigInt(staked) * BigInt(pool)) / BigInt(winning);
}

/**
 * The shares of the next winning stakes. Rounding is cumulative: share i = ⌊S_i × pool / W⌋ − ⌊S_{i−1} × pool / W⌋ with
 * S_i the stakes up to and with the i-th and W all winning stakes. Each share is within one point of exact and never
 * below its stake, and the sum over all is the pool, in however many batches.
 */
export function sharesOf(stakes: number[], before: number, winning: number, pool: number): number[] {
  let staked = before;
  return stakes.map((stake) => {
    const paidBefore = paidUpTo(staked, winning, pool);
    staked += stake;
    return Number(paidUpTo(staked, winning, pool) - paidBefore);
  });
}
