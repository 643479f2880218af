import type { AnyMachineSnapshot } from "xstate";
import type { IdempotencyDoc } from "../../store/mongo/driver/idempotency.ts";
import type { StoredTimer } from "../../store/mongo/host/snapshots.ts";
import type { AnyDefinition } from "./definition.ts";
import type { PrefetchedMembers } from "./settling.ts";

/** What a batch was prepared with: read after the snapshot, so that a change since then fails the commit. */
export type Prepared = {
  definition: AnyDefinition;
  actor: string;
  id: string;
  /** Version of the stored snapshot; 0 = there is none. */
  version: number;
  snapshot: AnyMachineSnapshot | null;
  /** The actor's timers, as stored with the snapshot. */
  stored: readonly StoredTimer[];
  /** Ids of this batch's timers that still exist. */
  timers: Set<string>;
  /** Keys of this batch that were answered before and are still valid. */
  answered: Map<string, IdempotencyDoc>;
  /** Keys of this batch whose stored answers have expired. */
  expiredKeys: string[];
  reads: object;
  /** The members to settle next. */
  members: PrefetchedMembers;
};
