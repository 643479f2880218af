import type { BetDoc } from "../../../store/mongo/points/bets.ts";
import type { PayoutProgress } from "./machine.ts";

/** The progress after these bets, of which there is at least one. */
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

/** Sum of the shares of the first `staked` points of the winning stakes. BigInt, because products exceed 2^53. */
function paidUpTo(staked: number, winning: number, pool: number): bigint {
  return (BigInt(staked) * BigInt(pool)) / BigInt(winning);
}

/**
 * The shares of the next winning stakes. Rounding is cumulative: share i = ⌊S_i × pool / W⌋ − ⌊S_{i−1} × pool / W⌋ with
 * S_i the sum of stakes up to and including the i-th and W the sum of all winning stakes. Each share is within one point of
 * the exact value and never below its stake, and the sum of all shares is the pool, regardless of the number of batches.
 */
export function sharesOf(stakes: number[], before: number, winning: number, pool: number): number[] {
  let staked = before;
  return stakes.map((stake) => {
    const paidBefore = paidUpTo(staked, winning, pool);
    staked += stake;
    return Number(paidUpTo(staked, winning, pool) - paidBefore);
  });
}
