import type { Db } from "mongodb";
import { balancesIn } from "../../../store/mongo/points/balances.ts";
import { betsIn } from "../../../store/mongo/points/bets.ts";
import { ONE_OPEN_A_STREAM, predictionsIn } from "../../../store/mongo/points/predictions.ts";
import { NO_BARS, refusalByBars, viewerBarsIn } from "../../channels/public.ts";
import type { ActorState } from "../../host/actor-types.ts";
import {
  type ActorDefinition,
  type Decision,
  type PendingCommand,
  type Refusal,
  refuse,
} from "../../host/definition.ts";
import { type PredictionReads, type PredictionTypes, predictionEffects } from "./effects.ts";
import {
  PREDICTION_VERSION,
  type PredictionCommand,
  type PredictionContext,
  type PredictionEvent,
  predictionCommands,
  predictionContext,
  predictionInput,
  predictionMachine,
  STAKE_LIMIT,
} from "./machine.ts";
import { progressAfter } from "./payout.ts";
import { predictionDoc } from "./view.ts";

/** Bets settled per commit. */
const SETTLE_BATCH = 1_000;

export type PredictionDefinition = ActorDefinition<PredictionTypes>;

export function predictionDefinition(db: Db): PredictionDefinition {
  const bets = betsIn(db);
  const balances = balancesIn(db);
  const predictions = predictionsIn(db);
  const barsOf = viewerBarsIn(db);
  return {
    name: "prediction",
    version: PREDICTION_VERSION,
    machine: predictionMachine,
    context: predictionContext,
    input: predictionInput,
    commands: predictionCommands,

    async prepare({ id, context, pending }) {
      const bettors = bettorsOf(pending);
      const people = [...new Set([...bettors, ...decidersOf(pending)])];
      const [known, accounts, bars] = await Promise.all([
        people.length > 0 ? bets.ofUsers(id, people) : [],
        context && bettors.length > 0 ? balances.ofUsers(bettors, context.channelUserId) : [],
        context ? barsOf(context.channelUserId, bettors) : NO_BARS,
      ]);
      return {
        bets: new Map(known.map((bet) => [bet.userId, bet])),
        balances: new Map(accounts.map((account) => [account.userId, account.balance])),
        bars,
      };
    },

    unique: { [ONE_OPEN_A_STREAM]: { code: "prediction_open" } },
    decide,
    effects: predictionEffects(db),
    settling: {
      states: ["resolved.paying", "cancelled.refunding"],
      batchSize: SETTLE_BATCH,
      after: bets.after,
      progress: ({ settled }) => settled,
      advance: progressAfter,
    },
    save: (states, session) => predictions.save(states.map(predictionDoc), session),
    answer: (state, { reads, by }) => ({
      prediction: predictionDoc(state),
      bet: (by === null ? undefined : reads.bets.get(by)) ?? null,
      balance: (by === null ? undefined : reads.balances.get(by)) ?? null,
    }),
  };
}

type Pending = PendingCommand<PredictionTypes>;

const bettorsOf = (pending: Pending[]) => [
  ...new Set(pending.flatMap(({ command }) => (command?.type === "bet" ? [command.userId] : []))),
];

const decidersOf = (pending: Pending[]) =>
  pending.flatMap(({ command, by }) => (command && command.type !== "bet" && by !== null ? [by] : []));

type Scope = { state: ActorState<PredictionContext>; reads: PredictionReads; by: string | null };

/** Checks that the state chart alone can't make: the owner, stakes, outcomes and points. */
function decide(command: PredictionCommand, scope: Scope): Decision<PredictionEvent> {
  switch (command.type) {
    case "bet": {
      const refusal = refuseBet(command, scope);
      if (refusal) return refusal;
      return { ok: true, event: { ...command, first: !scope.reads.bets.has(command.userId) } };
    }
    case "resolve": {
      if (holdsStake(scope)) return refuse("stake_holder");
      if (!hasOutcome(scope, command.outcomeId))
        return refuse("outcome_unknown", { outcome_id: command.outcomeId });
      return { ok: true, event: command };
    }
    case "lock":
    case "cancel":
      if (holdsStake(scope)) return refuse("stake_holder");
      return { ok: true, event: command };
  }
}

type Bet = Extract<PredictionCommand, { type: "bet" }>;

function refuseBet({ userId, outcomeId, amount }: Bet, scope: Scope): { ok: false; refusal: Refusal } | null {
  const { state, reads } = scope;
  if (userId === state.context.channelUserId) return refuse("own_prediction");
  const refusal = refusalByBars(reads.bars, userId);
  if (refusal) return { ok: false, refusal };
  // A closed prediction is refused as closed, before the bet itself is checked.
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
