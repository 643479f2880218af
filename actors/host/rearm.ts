import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from "xstate";
import type { HistoryDoc } from "../../store/mongo/history.ts";
import type { SnapshotDoc } from "../../store/mongo/snapshots.ts";
import type { BatchDecision } from "./batch-decision.ts";
import { MESSAGE } from "./outbox-draft.ts";
import { pathOf } from "./snapshot-codec.ts";

/** Changes of state that are looked at for when a state was entered. */
const LOOKED_BACK = 100;

/** What a delay hears when no event entered its state just now; it reads the context alone. */
const REARMED = { type: "rearmed" };

export const isOutdated = ({ machineVersion }: Pick<SnapshotDoc, "machineVersion">, version: number) =>
  machineVersion < version;

/** Whether the actor is where nothing happens any more; also a part of a state that ends can be that. */
export const isOver = (machine: AnyStateMachine, { value }: AnyMachineSnapshot): boolean =>
  activeNodes(machine, value).at(-1)?.type === "final";

/**
 * A machine arms the timers of a state when it is entered, so an actor that was there before has none for what a newer
 * version brought. Gives it those of its state and the ones around it, counted from when it came there, and takes away
 * those whose event the machine doesn't hear any more. Whatever the batch decides, it is committed with that.
 */
export async function rearm(
  decision: BatchDecision,
  now: Date,
  lately: (actor: string, limit: number) => Promise<HistoryDoc[]>,
): Promise<void> {
  const { definition, actor, snapshot, stored } = decision.prepared;
  if (!snapshot) throw new Error("only what is stored can be of an older version");
  const { machine } = definition;
  decision.changed = true;
  for (const { timerId, event } of stored) {
    if (!timerId.startsWith(MESSAGE) && !hears(machine, event.type)) decision.timers.cancel(timerId);
  }
  const known = new Set(stored.map(({ timerId }) => timerId));
  const missing = activeNodes(machine, snapshot.value)
    .flatMap((node) => delayedOf(node).map((one) => ({ ...one, path: node.path.join(".") })))
    .filter(({ type }) => !known.has(type));
  if (missing.length === 0) return;
  const history = await lately(actor, LOOKED_BACK);
  for (const { type, delay, path } of missing) {
    const since = enteredAt(history, path) ?? now;
    decision.timers.set(type, { type }, new Date(since.getTime() + delayMs(machine, delay, snapshot)));
  }
}

/** From the outermost one in. */
function activeNodes(machine: AnyStateMachine, value: AnyMachineSnapshot["value"]): AnyStateNode[] {
  const nodes: AnyStateNode[] = [machine.root];
  for (const name of pathOf(value).split(".")) {
    const node: AnyStateNode | undefined = nodes.at(-1)?.states[name];
    if (!node) throw new Error(`${machine.id} has no state ${pathOf(value)}`);
    nodes.push(node);
  }
  return nodes;
}

/** One a delay: several transitions with guards share a timer, which is named after its event. */
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

/** When the actor came into that state, by its latest changes, the newest first; null when they don't say. */
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

const hears = ({ events }: AnyStateMachine, type: string): boolean =>
  events.some(
    (known: string) => known === type || (known.endsWith("*") && type.startsWith(known.slice(0, -1))),
  );
