import { expect } from "chai";
import { type AnyMachineSnapshot, type AnyStateMachine, type AnyStateNode, transition } from "xstate";
import { pathOf } from "../../../actors/host/snapshot-codec.ts";
import { transition as hostTransition } from "../../../actors/host/transition.ts";
import { eventLabel } from "./diagrams.ts";

export const REFUSED = "refused";

type StateTable = {
  machine: AnyStateMachine;
  /** The context for each state. */
  contextOf(path: string): object;
  /** Events by name: at least one for each type that the machine handles. */
  events: Record<string, { type: string }>;
  /** By state and event: the next state and its effects ("live goLive"), or REFUSED. */
  outcomes: Record<string, Record<string, string>>;
};

/** The leaf states' dotted paths. */
export function leavesOf(node: AnyStateNode): string[] {
  const children: AnyStateNode[] = Object.values(node.states);
  return children.length === 0 ? [node.path.join(".")] : children.flatMap(leavesOf);
}

/** Defines a spec for every pair of state and event; a pair, state or event without a stated outcome fails. */
export function describeTable({ machine, contextOf, events, outcomes }: StateTable): void {
  const states = leavesOf(machine.root);

  it("states an outcome for every state and event that the machine has, and for no other", () => {
    const known = new Set(Object.values(events).map((event) => event.type));
    expect([...known].sort()).deep.equal([...machine.events].sort());
    expect(Object.keys(outcomes).sort()).deep.equal([...states].sort());
    for (const state of states) {
      expect(Object.keys(outcomes[state] ?? {}).sort(), state).deep.equal(Object.keys(events).sort());
    }
  });

  for (const state of states) {
    for (const [name, event] of Object.entries(events)) {
      it(`${state} × ${eventLabel(name)} → ${outcomes[state]?.[name] ?? "?"}`, () => {
        const before = machine.resolveState({ value: stateValueOf(state), context: contextOf(state) });
        expect(outcomeOf(machine, before, event)).equal(outcomes[state]?.[name]);
      });
    }
  }
}

function outcomeOf(machine: AnyStateMachine, before: AnyMachineSnapshot, event: { type: string }): string {
  const stamped = { at: 1_000, ...event };
  if (!before.can(stamped)) return REFUSED;
  const [after, actions] = transition(machine, before, stamped);
  // The host's cheaper implementation must take the same step as XState's own.
  const [stepped, steppedActions] = hostTransition(machine, before, stamped);
  expect(essence(stepped, steppedActions)).deep.equal(essence(after, actions));
  const effects = actions.map((action) => action.type).filter((type) => !type.startsWith("xstate."));
  return [pathOf(after.value), ...effects].join(" ");
}

const essence = (
  { value, context, status }: AnyMachineSnapshot,
  actions: { type: string; params?: unknown }[],
) => ({
  value,
  context,
  status,
  actions: actions.map(({ type, params }) => ({ type, params })),
});

function stateValueOf(path: string): string | Record<string, string> {
  const [parent = "", child] = path.split(".");
  return child === undefined ? parent : { [parent]: child };
}
