import type { EveningState } from "../../../api/discovery/site/development.ts";
import { WORKER_KINDS, type WorkerKind } from "../config/worker-kinds.ts";

/** Messages between the primary and its workers over the cluster's IPC channel. */

export type FromWorker =
  /**
   * The worker listens from now on; messages sent before are lost. The word stays: SIGUSR2 starts workers of a new release under a
   * primary of the old one.
   */
  | { livecore: "hears" }
  /** Sent every few seconds while the database's schema is incomplete; the worker isn't late then. */
  | { livecore: "waiting" }
  | { livecore: "ready" }
  /** Sent every HEARTBEAT_MS once it is ready, from its event loop. */
  | { livecore: "alive" }
  | { livecore: "failed"; reason: string }
  /** Somebody has asked for the demo evening; only in development. */
  | { livecore: "start-evening" }
  | { livecore: "metrics"; id: number; values: object[] };

export type FromPrimary =
  | { livecore: "drain" }
  | { livecore: "metrics"; id: number }
  /** The kinds of which no worker is ready right now; sent to each worker at its start and whenever it changes. */
  | { livecore: "absent"; kinds: WorkerKind[] }
  /** Sent to each worker at its start and whenever it changes; only in development. */
  | { livecore: "evening"; state: EveningState }
  /** Sent after each check of the stores, every two seconds. Primaries of older releases send none. */
  | ({ livecore: "stores" } & StoreState);

/** What the primary knows of the stores. */
export type StoreState = {
  /** False once MongoDB hasn't answered for 5 s. */
  mongodb: boolean;
  /** Whether Redis answered the last check. */
  redis: boolean;
  /**
   * The kinds that are ready on other hosts which have heard from Redis since this one has, as far as that is known. Empty while
   * Redis answers here.
   */
  elsewhere: WorkerKind[];
};

export const HEARTBEAT_MS = 2_000;

/** The variable that holds a forked process's kind. */
export const WORKER_VARIABLE = "LIVECORE_WORKER";

/** Set for a worker whose primary completes the database's schema. Without it, as under a primary of 0.1.0, the worker does. */
export const SCHEMA_STEP_VARIABLE = "LIVECORE_SCHEMA_STEP";

/** Set for a worker: how far its primary's clock is ahead of the host's, ms. Absent under a primary of an older release. */
export const CLOCK_AHEAD_VARIABLE = "LIVECORE_CLOCK_AHEAD_MS";

/** Set for a worker whose primary keeps mails: the address of their page. Only in development. */
export const MAILBOX_VARIABLE = "LIVECORE_MAILBOX_URL";

/** Set for a worker whose primary has a demo evening to start. Only in development. */
export const EVENING_VARIABLE = "LIVECORE_DEMO_EVENING";

/** The variable that holds the folder of the realtime workers' Unix sockets. */
export const SOCKET_FOLDER_VARIABLE = "LIVECORE_SOCKET_FOLDER";

/** Messages of the process that completes the schema; when it is done, it ends with exit code 0. */
export type FromSchema = { livecore: "progress"; line: string } | { livecore: "failed"; reason: string };

/** Null for messages that aren't ours: Node's cluster module uses the same channel. */
export function fromWorker(message: unknown): FromWorker | null {
  const { livecore, id, reason, values } = fields(message);
  if (livecore === "hears" || livecore === "waiting" || livecore === "ready" || livecore === "alive")
    return { livecore };
  if (livecore === "start-evening") return { livecore };
  if (livecore === "failed" && typeof reason === "string") return { livecore, reason };
  if (livecore === "metrics" && typeof id === "number" && Array.isArray(values))
    return { livecore, id, values };
  return null;
}

export function fromSchema(message: unknown): FromSchema | null {
  const { livecore, line, reason } = fields(message);
  if (livecore === "progress" && typeof line === "string") return { livecore, line };
  if (livecore === "failed" && typeof reason === "string") return { livecore, reason };
  return null;
}

export function fromPrimary(message: unknown): FromPrimary | null {
  const { livecore, id, kinds, mongodb, redis, elsewhere, state } = fields(message);
  if (livecore === "drain") return { livecore };
  if (livecore === "absent" && Array.isArray(kinds))
    return { livecore, kinds: WORKER_KINDS.filter((kind) => kinds.includes(kind)) };
  if (
    livecore === "stores" &&
    typeof mongodb === "boolean" &&
    typeof redis === "boolean" &&
    Array.isArray(elsewhere)
  )
    return { livecore, mongodb, redis, elsewhere: WORKER_KINDS.filter((kind) => elsewhere.includes(kind)) };
  if (livecore === "metrics" && typeof id === "number") return { livecore, id };
  const evening = livecore === "evening" ? eveningState(state) : null;
  if (livecore === "evening" && evening) return { livecore, state: evening };
  return null;
}

function eveningState(value: unknown): EveningState | null {
  const { status, username } = fields(value);
  if (status === "off" || status === "starting" || status === "failed") return { status };
  return status === "live" && typeof username === "string" ? { status, username } : null;
}

function fields(message: unknown): Record<string, unknown> {
  return typeof message === "object" && message !== null ? { ...message } : {};
}
