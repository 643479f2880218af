import type { AnyMachineSnapshot, StateValue } from "xstate";
import type { SnapshotDoc } from "../../store/mongo/host/snapshots.ts";
import type { ActorState } from "./actor-types.ts";
import type { AnyDefinition } from "./definition.ts";
import { assertJsonSafe } from "./json-safe.ts";
import { validatorOf } from "./schemas.ts";

/**
 * A stored snapshot that this code can't run: its actor is parked, unchanged, until compatible code is deployed. Meanwhile
 * requests to it fail and may be retried later; its timers are retried automatically.
 */
export class UnreadableSnapshot extends Error {
  /** The stored machine version; null when there is none. */
  readonly machineVersion: number | null;

  constructor({ _id, machineVersion }: SnapshotDoc, why: string, options?: ErrorOptions) {
    super(`${_id} ${why}`, options);
    this.machineVersion = Number.isSafeInteger(machineVersion) ? machineVersion : null;
  }
}

/** Restores a stored snapshot. Throws UnreadableSnapshot rather than guess. */
export function restore(definition: AnyDefinition, doc: SnapshotDoc): AnyMachineSnapshot {
  const { machine, machineVersion } = doc;
  if (machine !== definition.name) throw new UnreadableSnapshot(doc, `is a snapshot of ${machine}`);
  if (!Number.isSafeInteger(machineVersion)) throw new UnreadableSnapshot(doc, "has no version");
  if (machineVersion > definition.version) {
    throw new UnreadableSnapshot(doc, `has version ${machineVersion}, newer than ${definition.version}`);
  }
  try {
    const config = asConfig(migrated(definition, doc));
    requireContext(definition, config.context);
    // resolveState throws for a state that the machine doesn't have; restoreSnapshot would return a snapshot in "error".
    const snapshot = definition.machine.resolveState(config);
    // It also completes a partial state value with initial states, which would put the actor into a state it never had.
    if (!isSameState(snapshot.value, config.value)) throw new TypeError("the state is not a whole one");
    return snapshot;
  } catch (err) {
    if (err instanceof UnreadableSnapshot) throw err;
    throw new UnreadableSnapshot(doc, "doesn't fit its machine", { cause: err });
  }
}

/** Applies the migrations from the version that wrote the snapshot up to the current one. */
function migrated({ version, migrations = {} }: AnyDefinition, doc: SnapshotDoc): unknown {
  let persisted = doc.snapshot;
  for (let from = doc.machineVersion; from < version; from++) {
    const migrate = migrations[from];
    if (!migrate) throw new UnreadableSnapshot(doc, `has no migration from version ${from}`);
    persisted = migrate(persisted);
  }
  return persisted;
}

function requireContext(definition: AnyDefinition, context: object): void {
  const check = validatorOf(definition.context);
  if (check(context)) return;
  const [{ instancePath, message } = { instancePath: "", message: "" }] = check.errors ?? [];
  throw new TypeError(`the context is not one of ${definition.name}: ${instancePath} ${message}`);
}

/** The part of a persisted snapshot that a machine without children and history states needs. */
function asConfig(persisted: unknown): { value: StateValue; context: object } {
  if (typeof persisted === "object" && persisted !== null && "value" in persisted && "context" in persisted) {
    const { value, context } = persisted;
    if (isStateValue(value) && isPlainObject(context)) return { value, context };
  }
  throw new TypeError("not a snapshot");
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isSameState(one: StateValue, other: StateValue | undefined): boolean {
  if (typeof one === "string" || typeof other !== "object") return one === other;
  return Object.entries(one).every(([name, child]) => child !== undefined && isSameState(child, other[name]));
}

/** Accepts nested states only: our machines have no parallel states. */
function isStateValue(value: unknown): value is StateValue {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  const children = Object.values(value);
  return children.length === 1 && children.every(isStateValue);
}

/** The snapshot to store, after checking that it can be loaded again. Throws otherwise. */
export function persistFor(definition: AnyDefinition, snapshot: AnyMachineSnapshot) {
  const persisted = persist(snapshot);
  requireContext(definition, persisted.context);
  return persisted;
}

/** The part of a snapshot to store. Throws when the machine failed or the context wouldn't survive storage. */
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
