import type { components } from "@livecore/client";

type Prediction = components["schemas"]["Prediction"];
type Outcome = Prediction["outcomes"][number];

/** The most points that one user may bet on one prediction: docs/interface.md. */
export const STAKE_LIMIT = 250_000;

export const poolOf = ({ outcomes }: Pick<Prediction, "outcomes">): number =>
  outcomes.reduce((sum, { points_pool }) => sum + points_pool, 0);

/** Of all points, in percent. */
export const shareOf = ({ points_pool }: Outcome, pool: number): number =>
  pool === 0 ? 0 : Math.round((100 * points_pool) / pool);

/** What one point brings back if the outcome wins; null while nobody has bet on it. */
export const oddsOf = ({ points_pool }: Outcome, pool: number): number | null =>
  points_pool === 0 ? null : pool / points_pool;

/** What a stake that is raised by `added` would pay if the outcome won and nobody else bet. */
export function payoutOf(
  prediction: Prediction,
  { points_pool }: Outcome,
  staked: number,
  added: number,
): number {
  const backed = points_pool + added;
  return backed === 0 ? 0 : Math.floor(((staked + added) * (poolOf(prediction) + added)) / backed);
}
