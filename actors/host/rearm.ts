import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from "xstate";
import type { HistoryDoc } from "../../store/mongo/host/history.ts";
import type { SnapshotDoc } from "../../store/mongo/host/snapshots.ts";
import type { BatchDecision } from "./batch-decision.ts";
import { MESSAGE } from "./outbox-draft.ts";
import { pathOf } from "./snapshot-codec.ts";

/** How many of the latest history entries are searched for when a state was entered. */
const HISTORY_LIMIT = 100;

/** The event passed to a delay function when no event has just entered its state; delays read only the context. */
const REARMED = { type: "rearmed" };

export const isOutdated = ({ machineVersion }: Pick<SnapshotDoc, "machineVersion">, version: number) =>
  machineVersion < version;

/** Whether the actor is in a final state, at the top level or within a parent state. */
export const isFinal = (machine: AnyStateMachine, { value }: AnyMachineSnapshot): boolean =>
  activeNodes(machine, value).at(-1)?.type === "final";

/**
 * A machine arms the timers of a state on entry, so an actor that entered its state earlier lacks the timers that a newer
 * version added. Adds those of its state and its parents, counted from when each was entered, and cancels timers whose event
 * the machine no longer handles. The changes are committed whatever the batch decides.
 */
export async function rearm(
  decision: BatchDecision,
  now: Date,
  readHistory: (actor: string, limit: number) => Promise<HistoryDoc[]>,
): Promise<void> {
  const { definition, actor, snapshot, stored } = decision.prepared;
  if (!snapshot) throw new Error("only what is stored can be of an older version");
  const { machine } = definition;
  decision.changed = true;
  for (const { timerId, event } of stored) {
    if (!timerId.startsWith(MESSAGE) && !handles(machine, event.type)) decision.timers.cancel(timerId);
  }
  const known = new Set(stored.map(({ timerId }) => timerId));
  const missing = activeNodes(machine, snapshot.value)
    .flatMap((node) => delayedOf(node).map((delayed) => ({ ...delayed, path: node.path.join(".") })))
    .filter(({ type }) => !known.has(type));
  if (missing.length === 0) return;
  const history = await readHistory(actor, HISTORY_LIMIT);
  for (const { type, delay, path } of missing) {
    const since = enteredAt(history, path) ?? now;
    decision.timers.set(type, { type }, new Date(since.getTime() + delayMs(machine, delay, snapshot)));
  }
}

/** From the root inwards. */
function activeNodes(machine: AnyStateMachine, value: AnyMachineSnapshot["value"]): AnyStateNode[] {
  const nodes: AnyStateNode[] = [machine.root];
  for (const name of pathOf(value).split(".")) {
    const node: AnyStateNode | undefined = nodes.at(-1)?.states[name];
    if (!node) throw new Error(`${machine.id} has no state ${pathOf(value)}`);
    nodes.push(node);
  }
  return nodes;
}

/** One entry per delay: several guarded transitions share a timer, which is named after its event. */
function delayedOf(node: AnyStateNode): { type: string; delay: unknown }[] {
  const delays = new Map<string, unknown>(node.after.map(({ eventType, delay }) => [eventType, delay]));
  return [...delays].map(([type, delay]) => ({ type, delay }));
}

function delayMs(machine: AnyStateMachine, delay: unknown, { context }: AnyMachineSnapshot): number {
  const named: unknown = typeof delay === "string" ? machine.implementations.delays[delay] : delay;
  const ms: unknown = typeof named === "function" ? named({ context, event: REARMED }, undefined) : named;
  if (typeof ms !== "number" || !Number.isFinite(ms))
    throw new Error(`${machine.id} has no delay ${String(delay)}`);
  return ms;
}

/** When the actor entered that state, by its history (newest first); null when the history doesn't tell. */
function enteredAt(history: HistoryDoc[], path: string): Date | null {
  const isIn = (place: string | null) =>
    place !== null && (path === "" || place === path || place.startsWith(`${path}.`));
  let since: Date | null = null;
  for (const { from, to, at } of history) {
    if (!isIn(to)) break;
    since = at;
    if (!isIn(from)) break;
  }
  return since;
}

const handles = ({ events }: AnyStateMachine, type: string): boolean =>
  events.some(
    (known: string) => known === type || (known.endsWith("*") && type.startsWith(known.slice(0, -1))),
  );
