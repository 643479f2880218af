import type { Db } from "mongodb";
import Type from "typebox";
import { assign, setup } from "xstate";
import { type ActorDefinition, refuse } from "../../../../actors/host/definition.ts";
import { type EffectsOf, effect } from "../../../../actors/host/effect.ts";
import { commandsOf, exactly } from "../../../../actors/host/schemas.ts";
import { newId } from "../../../../base/ids.ts";

/** An accepted event, as its effect recorded it in the transaction of its commit. */
export type RecordDoc = {
  _id: string;
  /** A new id for each run of the effect's `write`. */
  commit: string;
  actor: string;
  version: number;
  op: string;
  amount: number;
  /** The actor's sequence number after the event. */
  seq: number;
  value: number;
  /** The process that committed it. */
  by: string;
};

type Command = { type: "add"; op: string; amount: number };
type Context = { seq: number; value: number };

const effects = { record: effect<{ op: string; amount: number }>() };

type TallyTypes = {
  command: Command;
  event: Command & { at: number };
  context: Context;
  input: object;
  effects: EffectsOf<typeof effects>;
  reads: object;
  answer: Context;
};

/** Depends on the order: swapping two events gives another value. */
export const nextValue = (value: number, amount: number): number => (value * 31 + amount) % 1_000_003;

/** A state-dependent refusal, so that refusals are covered as well. */
const isRefused = (value: number, amount: number): boolean => nextValue(value, amount) % 11 === 0;

const machine = setup({
  types: {} as { context: Context; input: object; events: TallyTypes["event"] },
  actions: {
    ...effects,
    add: assign({
      seq: ({ context }) => context.seq + 1,
      value: ({ context, event }) => nextValue(context.value, event.amount),
    }),
  },
}).createMachine({
  id: "tally",
  initial: "open",
  context: { seq: 0, value: 1 },
  states: {
    open: {
      on: {
        add: {
          actions: [
            "add",
            { type: "record", params: ({ event }) => ({ op: event.op, amount: event.amount }) },
          ],
        },
      },
    },
  },
});

export const RECORDS = "spec_records";
export const recordsIn = (db: Db) => db.collection<RecordDoc>(RECORDS);

/** The point of a batch: read but not decided, or half written in its open transaction. */
export type Moment = "read" | "writing";

/**
 * Sums its events, and records accepted ones without any index that would hide a duplicate. `pass` is called with the events of a
 * batch at each of its points.
 */
export function tallyDefinition(
  db: Db,
  by: string,
  pass: (moment: Moment, ops: string[]) => void = () => undefined,
): ActorDefinition<TallyTypes> {
  return {
    name: "tally",
    version: 1,
    machine,
    context: exactly({ seq: Type.Integer(), value: Type.Integer() }),
    input: exactly({}),
    commands: commandsOf({ add: { op: Type.String(), amount: Type.Integer() } }),
    async prepare({ pending }) {
      pass(
        "read",
        pending.flatMap(({ command }) => command?.op ?? []),
      );
      return {};
    },
    decide: (command, { state, at }) =>
      isRefused(state.context.value, command.amount)
        ? refuse("invalid_state")
        : { ok: true, event: { ...command, at: at.getTime() } },
    effects: {
      record: {
        async write(batches, session) {
          const rows = batches.flatMap(({ id, calls, outbox }) => {
            outbox.room(id, "chat.cleared", {});
            const version = outbox.rows.at(-1)?.version ?? 0;
            const commit = newId();
            return calls.map(({ params, after }) => ({
              _id: newId(),
              commit,
              actor: id,
              version,
              by,
              ...params,
              seq: after.context.seq,
              value: after.context.value,
            }));
          });
          await recordsIn(db).insertMany(rows, { session });
          pass(
            "writing",
            rows.map((row) => row.op),
          );
        },
      },
    },
    answer: ({ context: { seq, value } }) => ({ seq, value }),
  };
}
