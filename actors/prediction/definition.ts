import type { Db } from "mongodb";
import { balancesIn } from "../../store/mongo/balances.ts";
import { betsIn } from "../../store/mongo/bets.ts";
import { ONE_OPEN_A_STREAM, predictionsIn } from "../../store/mongo/predictions.ts";
import type { ActorDefinition, Asked } from "../host/definition.ts";
import { commandSchema, exactly } from "../host/schemas.ts";
import { predictionEffects } from "./effects.ts";
import { PREDICTION_VERSION, predictionMachine } from "./machine.ts";
import { admit, SETTLE_BATCH, STAKE_LIMIT } from "./refusals.ts";
import { SlipsAhead } from "./slips-ahead.ts";
import type { PredictionTypes } from "./types.ts";
import { predictionDoc } from "./view.ts";

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
  const ahead = new SlipsAhead(bets.after, SETTLE_BATCH);
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
      settle: { ...commandSchema("settle"), additionalProperties: true },
    },

    async prepare({ id, context, asked }) {
      const bettors = bettorsOf(asked);
      const people = [...new Set([...bettors, ...decidersOf(asked)])];
      const settling = context && asked.some((one) => one.command?.type === "settle");
      const [slips, accounts, next] = await Promise.all([
        people.length > 0 ? bets.ofUsers(id, people) : [],
        context && bettors.length > 0 ? balances.ofUsers(bettors, context.channelUserId) : [],
        settling ? ahead.take(id, context.settled.cursor) : null,
      ]);
      return {
        slips: new Map(slips.map((slip) => [slip.userId, slip])),
        balances: new Map(accounts.map((account) => [account.userId, account.balance])),
        next,
        settled: [],
      };
    },

    unique: { [ONE_OPEN_A_STREAM]: { code: "prediction_open" } },
    admit,
    effects: predictionEffects(db, ahead),
    extent: ({ settled }) => settled.length,
    save: (states, session) => predictions.save(states.map(predictionDoc), session),
    answer: (state, { work, by }) => ({
      prediction: predictionDoc(state),
      bet: (by === null ? undefined : work.slips.get(by)) ?? null,
      balance: (by === null ? undefined : work.balances.get(by)) ?? null,
    }),
    next: ({ path }) =>
      path === "resolved.paying" || path === "cancelled.refunding" ? { type: "settle" } : null,
  };
}

type AskedHere = Asked<PredictionTypes>;

const bettorsOf = (asked: AskedHere[]) => [
  ...new Set(asked.flatMap(({ command }) => (command?.type === "bet" ? [command.userId] : []))),
];

const decidersOf = (asked: AskedHere[]) =>
  asked.flatMap(({ command, by }) => (command && command.type !== "bet" && by !== null ? [by] : []));
