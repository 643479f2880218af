/** What the primary and its workers say to each other over the cluster's channel. */
export const WORKER_KINDS = ["realtime", "api", "jobs"] as const;

export type WorkerKind = (typeof WORKER_KINDS)[number];

export type FromWorker =
  /** It hears the primary from now on; what was said before is lost. */
  | { livecore: "hears" }
  | { livecore: "ready" }
  | { livecore: "failed"; reason: string }
  | { livecore: "metrics"; id: number; values: object[] };

export type FromPrimary =
  | { livecore: "drain" }
  | { livecore: "metrics"; id: number }
  /** The kinds of which no worker serves right now; said to each at its start and whenever it changes. */
  | { livecore: "absent"; kinds: WorkerKind[] };

/** The variable that tells a forked process which kind it is. */
export const WORKER_VARIABLE = "LIVECORE_WORKER";

/** The variable that tells workers where realtime workers have their Unix sockets. */
export const SOCKET_FOLDER_VARIABLE = "LIVECORE_SOCKET_FOLDER";

/** Null for what isn't ours: Node's cluster uses the same channel. */
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
