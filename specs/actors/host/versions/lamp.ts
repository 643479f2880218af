import Type from "typebox";
import { assign, setup } from "xstate";
import type { ActorDefinition } from "../../../../actors/host/definition.ts";
import { commandsOf, exactly } from "../../../../actors/host/schemas.ts";

type Command = { type: "touch" } | { type: "dim" } | { type: "leave" };
type Context = { minutes: number; touched: number };
type Types = { context: Context; input: { minutes: number }; events: Command };

type LampTypes = {
  command: Command;
  event: Command & { at: number };
  context: Context;
  input: { minutes: number };
  effects: object;
  reads: object;
  answer: string;
};

const context = ({ input: { minutes } }: { input: { minutes: number } }) => ({ minutes, touched: 0 });

/** Version 1: on until somebody leaves, dimmed after ten minutes. */
const lampOf1 = setup({
  types: {} as Types,
  actions: { touch: assign({ touched: ({ context }) => context.touched + 1 }) },
}).createMachine({
  id: "lamp",
  initial: "lit",
  context,
  states: {
    lit: {
      after: { 600000: ".dimmed" },
      on: { touch: { actions: "touch" }, leave: "out" },
      initial: "bright",
      states: { bright: { on: { dim: "dimmed" } }, dimmed: {} },
    },
    out: { type: "final" },
  },
});

/** Version 2: dimmed after half a minute, and goes out by itself. */
const lampOf2 = setup({
  types: {} as Types,
  actions: { touch: assign({ touched: ({ context }) => context.touched + 1 }) },
  delays: { evening: ({ context }) => context.minutes * 60_000 },
}).createMachine({
  id: "lamp",
  initial: "lit",
  context,
  states: {
    lit: {
      after: { evening: "out" },
      on: { touch: { actions: "touch" }, leave: "out" },
      initial: "bright",
      states: { bright: { after: { 30000: "dimmed" }, on: { dim: "dimmed" } }, dimmed: {} },
    },
    out: { type: "final" },
  },
});

const MACHINES = { 1: lampOf1, 2: lampOf2 };

/** The actor definition of that version's code. */
export const lampDefinition = (version: keyof typeof MACHINES): ActorDefinition<LampTypes> => ({
  name: "lamp",
  version,
  machine: MACHINES[version],
  context: exactly({ minutes: Type.Integer(), touched: Type.Integer() }),
  input: exactly({ minutes: Type.Integer() }),
  migrations: version === 1 ? {} : { 1: (snapshot) => snapshot },
  commands: commandsOf({ touch: {}, dim: {}, leave: {} }),
  prepare: async () => ({}),
  effects: {},
  answer: ({ path }) => path,
});
