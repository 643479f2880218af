import type { AnyMachineSnapshot, StateValue } from "xstate";
import type { SnapshotDoc } from "../../store/mongo/snapshots.ts";
import type { ActorState, AnyDefinition } from "./definition.ts";
import { assertJsonSafe } from "./json-safe.ts";

/** A stored snapshot that this code can't run: its actor waits, untouched, until fitting code is there. */
export class UnreadableSnapshot extends Error {}

/** Brings a stored snapshot to life. Throws UnreadableSnapshot rather than guess. */
export function restore(definition: AnyDefinition, doc: SnapshotDoc): AnyMachineSnapshot {
  const { machine, machineVersion } = doc;
  if (machine !== definition.name) throw new UnreadableSnapshot(`${doc._id} is a snapshot of ${machine}`);
  if (machineVersion > definition.version) {
    throw new UnreadableSnapshot(
      `${doc._id} has version ${machineVersion}, newer than ${definition.version}`,
    );
  }
  let persisted = doc.snapshot;
  for (let version = machineVersion; version < definition.version; version++) {
    const migrate = definition.migrations[version];
    if (!migrate) throw new UnreadableSnapshot(`${machine} has no migration from version ${version}`);
    persisted = migrate(persisted);
  }
  try {
    // resolveState throws for a state that the machine doesn't have; restoreSnapshot would come up in "error".
    return definition.machine.resolveState(asConfig(persisted));
  } catch (err) {
    throw new UnreadableSnapshot(`${doc._id} doesn't fit its machine`, { cause: err });
  }
}

/** The part of a persisted snapshot that a machine without children and history states needs. */
function asConfig(persisted: unknown): { value: StateValue; context: object } {
  if (typeof persisted === "object" && persisted !== null && "value" in persisted && "context" in persisted) {
    const { value, context } = persisted;
    if (isStateValue(value) && typeof context === "object" && context !== null) return { value, context };
  }
  throw new TypeError("not a snapshot");
}

function isStateValue(value: unknown): value is StateValue {
  if (typeof value === "string") return true;
  return typeof value === "object" && value !== null && Object.values(value).every(isStateValue);
}

/** What is stored. Throws when the context wouldn't survive it. */
export function persist(snapshot: AnyMachineSnapshot): { value: StateValue; context: object } {
  if (snapshot.status === "error") throw new Error("the machine failed", { cause: snapshot.error });
  if (Object.keys(snapshot.children).length > 0) throw new Error("machines here have no children");
  assertJsonSafe(snapshot.context);
  return { value: snapshot.value, context: snapshot.context };
}

/** "resolved.paying"; our machines have no parallel states. */
export function pathOf(value: StateValue): string {
  if (typeof value === "string") return value;
  const [parent, child] = Object.entries(value)[0] ?? [];
  return child === undefined ? (parent ?? "") : `${parent}.${pathOf(child)}`;
}

export function stateOf(id: string, snapshot: AnyMachineSnapshot, at: Date): ActorState<object> {
  const path = pathOf(snapshot.value);
  return { id, path, status: path.split(".")[0] ?? path, context: snapshot.context, at };
}
