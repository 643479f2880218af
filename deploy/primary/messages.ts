import { WORKER_KINDS, type WorkerKind } from "../config/worker-kinds.ts";

/** Messages between the primary and its workers over the cluster's IPC channel. */

export type FromWorker =
  /**
   * The worker listens from now on; messages sent before are lost. The word stays: SIGUSR2 starts workers of a new release under a
   * primary of the old one.
   */
  | { livecore: "hears" }
  | { livecore: "ready" }
  | { livecore: "failed"; reason: string }
  | { livecore: "metrics"; id: number; values: object[] };

export type FromPrimary =
  | { livecore: "drain" }
  | { livecore: "metrics"; id: number }
  /** The kinds of which no worker is ready right now; sent to each worker at its start and whenever it changes. */
  | { livecore: "absent"; kinds: WorkerKind[] };

/** The variable that holds a forked process's kind. */
export const WORKER_VARIABLE = "LIVECORE_WORKER";

/** The variable that holds the folder of the realtime workers' Unix sockets. */
export const SOCKET_FOLDER_VARIABLE = "LIVECORE_SOCKET_FOLDER";

/** Null for messages that aren't ours: Node's cluster module uses the same channel. */
export function fromWorker(message: unknown): FromWorker | null {
  const { livecore, id, reason, values } = fields(message);
  if (livecore === "hears" || livecore === "ready") return { livecore };
  if (livecore === "failed" && typeof reason === "string") return { livecore, reason };
  if (livecore === "metrics" && typeof id === "number" && Array.isArray(values))
    return { livecore, id, values };
  return null;
}

export function fromPrimary(message: unknown): FromPrimary | null {
  const { livecore, id, kinds } = fields(message);
  if (livecore === "drain") return { livecore };
  if (livecore === "absent" && Array.isArray(kinds))
    return { livecore, kinds: WORKER_KINDS.filter((kind) => kinds.includes(kind)) };
  if (livecore === "metrics" && typeof id === "number") return { livecore, id };
  return null;
}

function fields(message: unknown): Record<string, unknown> {
  return typeof message === "object" && message !== null ? { ...message } : {};
}
