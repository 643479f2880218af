import { type ActorState, type Admission, type Refusal, refuse } from "../host/definition.ts";
import type { PredictionContext, PredictionEvent } from "./machine.ts";
import type { PredictionCommand, PredictionWork } from "./types.ts";

/** The most that one user may stake on one prediction, in all. */
export const STAKE_LIMIT = 250_000;

type Scope = { state: ActorState<PredictionContext>; work: PredictionWork; by: string | null; at: Date };

/** What the state alone doesn't decide: whose prediction, whose stake, which outcome, how many points. */
export function admit(command: PredictionCommand, scope: Scope): Admission<PredictionEvent> {
  const at = scope.at.getTime();
  switch (command.type) {
    case "bet": {
      const refusal = refuseBet(command, scope);
      if (refusal) return refusal;
      const { type, opId, userId, outcomeId, amount } = command;
      return {
        ok: true,
        event: { type, opId, userId, outcomeId, amount, first: !scope.work.slips.has(userId), at },
      };
    }
    case "resolve": {
      if (holdsStake(scope)) return refuse("stake_holder");
      if (!hasOutcome(scope, command.outcomeId))
        return refuse("outcome_unknown", { outcome_id: command.outcomeId });
      return { ok: true, event: { type: "resolve", outcomeId: command.outcomeId, at } };
    }
    case "lock":
    case "cancel":
      if (holdsStake(scope)) return refuse("stake_holder");
      return { ok: true, event: { type: command.type, at } };
  }
}

type Bet = Extract<PredictionCommand, { type: "bet" }>;

function refuseBet({ userId, outcomeId, amount }: Bet, scope: Scope): { ok: false; refusal: Refusal } | null {
  const { state, work } = scope;
  if (userId === state.context.channelUserId) return refuse("own_prediction");
  // A closed prediction says that it is closed, before anything about the bet.
  if (state.status !== "active") return refuse("invalid_state", { status: state.status });
  if (!hasOutcome(scope, outcomeId)) return refuse("outcome_unknown", { outcome_id: outcomeId });
  const slip = work.slips.get(userId);
  if (slip && slip.outcomeId !== outcomeId) return refuse("outcome_fixed", { outcome_id: slip.outcomeId });
  const staked = slip?.amount ?? 0;
  if (staked + amount > STAKE_LIMIT) return refuse("stake_limit", { limit: STAKE_LIMIT, staked });
  const balance = work.balances.get(userId) ?? 0;
  if (amount > balance) return refuse("insufficient_points", { balance });
  return null;
}

const hasOutcome = ({ state }: Scope, outcomeId: string) =>
  state.context.outcomes.some((outcome) => outcome.id === outcomeId);

const holdsStake = ({ work, by }: Scope) => by !== null && work.slips.has(by);
