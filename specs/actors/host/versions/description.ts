import { createHash } from "node:crypto";
import type { AnyStateMachine, AnyStateNode } from "xstate";
import type { SnapshotDoc } from "../../../../store/mongo/host/snapshots.ts";
import type { TimerDoc } from "../../../../store/mongo/host/timers.ts";
import { leavesOf } from "../state-table.ts";
import { type Shape, shapeOf } from "./shape.ts";

/** An actor in one state, as it is stored. */
export type StoredState = {
  /** "resolved.paying". */
  path: string;
  doc: SnapshotDoc;
  context: unknown;
  timers: TimerDoc[];
};

/** Everything of a machine that a stored snapshot relies on. */
export type Description = {
  states: Record<string, StateDescription>;
  /** In ms; delays that depend on the actor show in `timers`. */
  delays: Record<string, number | "by context">;
  /** By leaf state: its timers, as its actors have them, in ms since it was entered. */
  timers: Record<string, Record<string, number>>;
  context: Shape;
};

type StateDescription = {
  type: string;
  initial: string[];
  entry: unknown[];
  exit: unknown[];
  /** Transitions by event; "" for eventless ones. */
  on: Record<string, unknown[]>;
};

/** Describes a machine from its definition and one snapshot of each of its states. */
export function describeMachine(machine: AnyStateMachine, snapshots: StoredState[]): Description {
  const delays = Object.entries(machine.implementations.delays).map(([name, delay]) => [
    name,
    typeof delay === "number" ? delay : "by context",
  ]);
  const timers = snapshots.map(({ path, doc, timers }) => [
    path,
    Object.fromEntries(
      timers.map(({ timerId, dueAt }) => [timerId, dueAt.getTime() - doc.updatedAt.getTime()]),
    ),
  ]);
  return {
    states: Object.fromEntries(
      nodesOf(machine.root).map((node) => [node.path.join("."), describeState(node)]),
    ),
    delays: Object.fromEntries(delays),
    timers: Object.fromEntries(timers),
    context: shapeOf(snapshots.map(({ context }) => context)),
  };
}

/** A hash that is the same for equal descriptions, whatever the order of their fields. */
export function hashOf(description: unknown): string {
  return createHash("sha256").update(canonical(description)).digest("hex");
}

/** The leaf states, which an actor can be in. */
export const placesOf = (machine: AnyStateMachine) => leavesOf(machine.root);

function nodesOf(node: AnyStateNode): AnyStateNode[] {
  const children: AnyStateNode[] = Object.values(node.states);
  return [node, ...children.flatMap(nodesOf)];
}

function describeState(node: AnyStateNode): StateDescription {
  const transitions = [...node.transitions].map(([event, all]) => [event, all.map(describeTransition)]);
  const always = (node.always ?? []).map(describeTransition);
  return {
    type: node.type,
    initial: (node.initial?.target ?? []).map(nameOf),
    entry: node.entry.map(describeAction),
    exit: node.exit.map(describeAction),
    on: Object.fromEntries([...transitions, ...(always.length > 0 ? [["", always]] : [])]),
  };
}

type Transition = {
  target: readonly AnyStateNode[] | undefined;
  guard?: unknown;
  actions: readonly unknown[];
  reenter?: boolean;
};

const describeTransition = ({ target, guard, actions, reenter = false }: Transition) => ({
  ...(target ? { target: target.map(nameOf) } : {}),
  ...(guard === undefined ? {} : { guard: describeAction(guard) }),
  ...(actions.length > 0 ? { actions: actions.map(describeAction) } : {}),
  ...(reenter ? { reenter } : {}),
});

const nameOf = (node: AnyStateNode) => node.path.join(".");

/** The action's name and its static params; computed params are left out. */
function describeAction(action: unknown): unknown {
  if (typeof action === "string") return action;
  if ((typeof action !== "object" && typeof action !== "function") || action === null) return null;
  const type = "type" in action ? action.type : "";
  const params = "params" in action && typeof action.params !== "function" ? action.params : undefined;
  return params === undefined ? type : { type, params };
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(",")}}`;
}
