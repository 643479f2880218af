import { type ActorState, type Refusal, refuse, type Translation } from "../host/definition.ts";
import type { PredictionContext, PredictionEvent } from "./machine.ts";
import type { PredictionCommand, PredictionReads } from "./types.ts";

/** The most that one user may stake on one prediction, in all. */
export const STAKE_LIMIT = 250_000;

type Scope = { state: ActorState<PredictionContext>; reads: PredictionReads; by: string | null; at: Date };

/** What the state alone doesn't decide: whose prediction, whose stake, which outcome, how many points. */
export function toEvent(command: PredictionCommand, scope: Scope): Translation<PredictionEvent> {
  const at = scope.at.getTime();
  switch (command.type) {
    case "bet": {
      const refusal = refuseBet(command, scope);
      if (refusal) return refusal;
      const { type, opId, userId, outcomeId, amount } = command;
      return {
        ok: true,
        event: { type, opId, userId, outcomeId, amount, first: !scope.reads.bets.has(userId), at },
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
  const { state, reads } = scope;
  if (userId === state.context.channelUserId) return refuse("own_prediction");
  // A closed prediction says that it is closed, before anything about the bet.
  if (state.status !== "active") return refuse("invalid_state", { status: state.status });
  if (!hasOutcome(scope, outcomeId)) return refuse("outcome_unknown", { outcome_id: outcomeId });
  const bet = reads.bets.get(userId);
  if (bet && bet.outcomeId !== outcomeId) return refuse("outcome_fixed", { outcome_id: bet.outcomeId });
  const staked = bet?.amount ?? 0;
  if (staked + amount > STAKE_LIMIT) return refuse("stake_limit", { limit: STAKE_LIMIT, staked });
  const balance = reads.balances.get(userId) ?? 0;
  if (amount > balance) return refuse("insufficient_points", { balance });
  return null;
}

const hasOutcome = ({ state }: Scope, outcomeId: string) =>
  state.context.outcomes.some((outcome) => outcome.id === outcomeId);

const holdsStake = ({ reads, by }: Scope) => by !== null && reads.bets.has(by);
