import type { Db } from "mongodb";
import { balancesIn } from "../../store/mongo/balances.ts";
import { betsIn } from "../../store/mongo/bets.ts";
import { ONE_OPEN_A_STREAM, predictionsIn } from "../../store/mongo/predictions.ts";
import type { ActorDefinition, PendingCommand } from "../host/definition.ts";
import { commandSchema, exactly } from "../host/schemas.ts";
import { predictionEffects } from "./effects.ts";
import { PREDICTION_VERSION, predictionMachine } from "./machine.ts";
import { progressAfter } from "./payout.ts";
import { STAKE_LIMIT, toEvent } from "./refusals.ts";
import type { PredictionTypes } from "./types.ts";
import { predictionDoc } from "./view.ts";

/** Bets settled by one commit. */
const SETTLE_BATCH = 1_000;

const text = { type: "string", minLength: 1, maxLength: 64 };

const count = { type: "integer", minimum: 0 };
const orNull = (schema: object) => ({ anyOf: [schema, { type: "null" }] });

const CONTEXT = exactly({
  streamId: text,
  channelUserId: text,
  title: { type: "string" },
  outcomes: {
    type: "array",
    items: exactly({
      id: text,
      title: { type: "string" },
      color: orNull({ type: "string" }),
      pool: count,
      bettors: count,
    }),
  },
  durationMs: count,
  createdBy: text,
  openedAt: count,
  locksAt: count,
  resolvedOutcomeId: orNull(text),
  settled: exactly({ cursor: { type: "string" }, staked: count }),
});

export type PredictionDefinition = ActorDefinition<PredictionTypes>;

export function predictionDefinition(db: Db): PredictionDefinition {
  const bets = betsIn(db);
  const balances = balancesIn(db);
  const predictions = predictionsIn(db);
  return {
    name: "prediction",
    version: PREDICTION_VERSION,
    machine: predictionMachine,
    context: CONTEXT,
    migrations: {},
    commands: {
      bet: commandSchema("bet", {
        opId: text,
        userId: text,
        outcomeId: text,
        amount: { type: "integer", minimum: 1, maximum: STAKE_LIMIT },
      }),
      lock: commandSchema("lock"),
      resolve: commandSchema("resolve", { outcomeId: text }),
      cancel: commandSchema("cancel"),
    },

    async prepare({ id, context, pending }) {
      const bettors = bettorsOf(pending);
      const people = [...new Set([...bettors, ...decidersOf(pending)])];
      const [known, accounts] = await Promise.all([
        people.length > 0 ? bets.ofUsers(id, people) : [],
        context && bettors.length > 0 ? balances.ofUsers(bettors, context.channelUserId) : [],
      ]);
      return {
        bets: new Map(known.map((bet) => [bet.userId, bet])),
        balances: new Map(accounts.map((account) => [account.userId, account.balance])),
      };
    },

    unique: { [ONE_OPEN_A_STREAM]: { code: "prediction_open" } },
    toEvent,
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
