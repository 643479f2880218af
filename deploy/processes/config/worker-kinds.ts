/** The kinds of processes that do the work, in the order in which they are drained. */
export const WORKER_KINDS = ["realtime", "api", "jobs"] as const;

export type WorkerKind = (typeof WORKER_KINDS)[number];

/** What the primary starts: workers, and before them the process that completes the database's schema. */
export type ProcessKind = WorkerKind | "schema";
