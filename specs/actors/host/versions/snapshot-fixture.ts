import Type from "typebox";
import { assign, setup } from "xstate";
import type { ActorDefinition } from "../../../../actors/host/definition.ts";
import { commandsOf, exactly } from "../../../../actors/host/schemas.ts";

type Command = { type: "remind" } | { type: "collect" };
type ShelfOf1 = { shelf: number };
type ShelfOf2 = { shelf: string };
type ShelfOf3 = { shelf: string; reminders: number };

type FixtureTypes = {
  command: Command;
  event: Command & { at: number };
  context: object;
  input: { shelf: number };
  effects: object;
  reads: object;
  answer: { path: string; context: object };
};

const PATIENCE_MS = 60_000;

/** Waits until it is collected, or goes back. */
export const fixtureV1 = setup({
  types: {} as { context: ShelfOf1; input: { shelf: number }; events: Command },
  delays: { patience: PATIENCE_MS },
}).createMachine({
  id: "fixture",
  initial: "waiting",
  context: ({ input }) => ({ shelf: input.shelf }),
  states: {
    waiting: { after: { patience: "returned" }, on: { collect: "collected" } },
    collected: {},
    returned: {},
  },
});

/** Version 2: shelves have names. */
export const fixtureV2 = setup({
  types: {} as { context: ShelfOf2; input: { shelf: number }; events: Command },
  delays: { patience: PATIENCE_MS },
}).createMachine({
  id: "fixture",
  initial: "waiting",
  context: ({ input }) => ({ shelf: `row ${input.shelf}` }),
  states: {
    waiting: { after: { patience: "returned" }, on: { collect: "collected" } },
    collected: {},
    returned: {},
  },
});

/**
 * Version 3: its first state is renamed and has substates. `waitingId` is the id of that state: timers are named by it, so timers
 * from an older version still fire only if it stays the same.
 */
export const fixtureV3 = (waitingId = "fixture.waiting") =>
  setup({
    types: {} as { context: ShelfOf3; input: { shelf: number }; events: Command },
    actions: { count: assign({ reminders: ({ context }) => context.reminders + 1 }) },
    delays: { patience: PATIENCE_MS },
  }).createMachine({
    id: "fixture",
    initial: "stored",
    context: ({ input }) => ({ shelf: `row ${input.shelf}`, reminders: 0 }),
    states: {
      stored: {
        id: waitingId,
        after: { patience: "returned" },
        on: { collect: "collected" },
        initial: "quiet",
        states: {
          quiet: { on: { remind: { target: "reminded", actions: "count" } } },
          reminded: {},
        },
      },
      collected: {},
      returned: {},
    },
  });

type Stored<Context> = { value: unknown; context: Context };

const migrations: NonNullable<ActorDefinition<FixtureTypes>["migrations"]> = {
  1: (snapshot) => {
    const { value, context } = snapshot as Stored<ShelfOf1>;
    return { value, context: { shelf: `row ${context.shelf.toFixed()}` } };
  },
  2: (snapshot) => {
    const { value, context } = snapshot as Stored<ShelfOf2>;
    return {
      value: value === "waiting" ? { stored: "quiet" } : value,
      context: { ...context, reminders: 0 },
    };
  },
};

const [row, reminders] = [Type.String(), Type.Integer()];
const CONTEXTS = {
  1: exactly({ shelf: Type.Integer() }),
  2: exactly({ shelf: row }),
  3: exactly({ shelf: row, reminders }),
};
const MACHINES = { 1: fixtureV1, 2: fixtureV2, 3: fixtureV3() };

/** The actor definition of that version's code. */
export function fixtureDefinition(
  version: keyof typeof MACHINES,
  machine: ActorDefinition<FixtureTypes>["machine"] = MACHINES[version],
): ActorDefinition<FixtureTypes> {
  return {
    name: "fixture",
    version,
    machine,
    context: CONTEXTS[version],
    input: exactly({ shelf: Type.Integer() }),
    migrations: version === 1 ? {} : migrations,
    commands: commandsOf({ remind: {}, collect: {} }),
    prepare: async () => ({}),
    effects: {},
    answer: ({ path, context }) => ({ path, context }),
  };
}
