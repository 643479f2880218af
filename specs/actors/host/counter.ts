import Type from "typebox";
import { assign, setup } from "xstate";
import { type ActorDefinition, refuse } from "../../../actors/host/definition.ts";
import { type EffectsOf, effect } from "../../../actors/host/effect.ts";
import { commandsOf, exactly } from "../../../actors/host/schemas.ts";

type Context = { count: number; bad?: unknown };
type Command = { type: "add"; amount: number } | { type: "close" } | { type: "explode" } | { type: "spoil" };

const effects = { note: effect<{ amount: number }>() };

export type CounterTypes = {
  command: Command;
  event: Command & { at: number };
  context: Context;
  input: { start: number };
  effects: EffectsOf<typeof effects>;
  reads: { count: number };
  answer: { count: number; status: string };
};

/** A minimal actor for specs of the host: it counts, closes, and can be made to fail. */
const counterMachine = setup({
  types: {} as { context: Context; input: { start: number; at: number }; events: CounterTypes["event"] },
  actions: {
    ...effects,
    add: assign({
      count: ({ context, event }) => context.count + (event.type === "add" ? event.amount : 0),
    }),
    explode: assign(() => {
      throw new Error("the machine has a bug");
    }),
    spoil: assign({ bad: () => new Map() }),
  },
}).createMachine({
  id: "counter",
  initial: "open",
  context: ({ input }) => ({ count: input.start }),
  states: {
    open: {
      on: {
        add: {
          actions: [
            "add",
            { type: "note", params: ({ event }) => ({ amount: event.type === "add" ? event.amount : 0 }) },
          ],
        },
        close: "closed",
        explode: { actions: "explode" },
        spoil: { actions: "spoil" },
      },
    },
    closed: {},
  },
});

/** `write` is called inside the transaction, with the amounts of a whole batch. */
export function counterDefinition(
  write: (amounts: number[]) => Promise<void> | void = () => undefined,
): ActorDefinition<CounterTypes> {
  return {
    name: "counter",
    version: 1,
    machine: counterMachine,
    context: exactly({ count: Type.Integer(), bad: Type.Optional(Type.Unknown()) }),
    input: exactly({ start: Type.Integer() }),
    commands: commandsOf({
      add: { amount: Type.Integer() },
      close: {},
      explode: {},
      spoil: {},
    }),
    prepare: async ({ context }) => ({ count: context?.count ?? 0 }),
    refuseCreation: ({ start }) => (start < 0 ? { code: "validation_failed" } : null),
    decide: (command, { at, reads }) =>
      command.type === "add" && reads.count + command.amount < 0
        ? refuse("insufficient_points")
        : { ok: true, event: { ...command, at: at.getTime() } },
    effects: {
      note: {
        apply: ({ params }, reads) => {
          reads.count += params.amount;
        },
        async write(batches) {
          for (const { calls } of batches) await write(calls.map(({ params }) => params.amount));
        },
      },
    },
    answer: ({ context, status }) => ({ count: context.count, status }),
  };
}
