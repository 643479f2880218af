/** The kinds of processes that do the work, in the order in which they are drained. */
export const WORKER_KINDS = ["realtime", "api", "jobs"] as const;

export type WorkerKind = (typeof WORKER_KINDS)[number];
