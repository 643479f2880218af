import { LivecoreError } from "@livecore/client";
import { problemOf } from "../site/problems.ts";
import { TEXTS } from "../texts/texts.ts";
import type { Prediction } from "./prediction.ts";

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Why a bet was refused, and what to do. */
export function betRefusalOf(err: unknown, { outcomes }: Prediction): string {
  const { points } = TEXTS;
  if (!(err instanceof LivecoreError)) return problemOf(err);
  const { code, details } = err;
  const outcome = outcomes.find(({ id }) => id === details.outcome_id);
  if (code === "insufficient_points") return points.notEnough(numberIn(details.balance));
  if (code === "stake_limit") return points.limit(numberIn(details.limit), numberIn(details.staked));
  if (code === "invalid_state") return points.closed;
  if (code === "outcome_fixed" && outcome) return points.otherOutcome(outcome.title);
  return problemOf(err);
}

/** Why a reward couldn't be redeemed, and what to do. */
export function redeemRefusalOf(err: unknown): string {
  const { points } = TEXTS;
  if (!(err instanceof LivecoreError)) return problemOf(err);
  const { code, details } = err;
  if (code === "insufficient_points") return points.tooFew(numberIn(details.balance));
  if (code === "reward_disabled") return points.off;
  if (code === "not_found") return points.gone;
  if (code === "redemption_limit") return details.per === "user" ? points.userLimit : points.streamLimit;
  if (code === "input_required") return points.inputNeeded;
  if (code === "blocked_term") return points.term;
  return problemOf(err);
}
