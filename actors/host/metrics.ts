import { type ReadTable, type Recorded, type RecordedTable, silentMeter } from "../../store/metrics.ts";

const LATENCIES = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const LAGS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300];
const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500];

/** Machines are a fixed few, so that they fit for a label; actors are not. */
const labels = ["machine"] as const;

export const HOST_METRICS = {
  batchSize: {
    name: "livecore_actor_batch_size",
    kind: "histogram",
    help: "Requests decided together by one commit.",
    labels,
    buckets: SIZES,
  },
  mailboxWait: {
    name: "livecore_actor_mailbox_wait_seconds",
    kind: "histogram",
    help: "Time that a batch's oldest request had waited; grows with the load.",
    labels,
    buckets: LATENCIES,
  },
  commit: {
    name: "livecore_actor_commit_seconds",
    kind: "histogram",
    help: "From a batch's first read to the end of its commit, repeats included.",
    labels,
    buckets: LATENCIES,
  },
  conflicts: {
    name: "livecore_actor_conflicts_total",
    kind: "counter",
    help: "Attempts that had to be decided again: processes at the same actor.",
    labels,
  },
  overflows: {
    name: "livecore_actor_mailbox_overflows_total",
    kind: "counter",
    help: "Requests turned away by a full mailbox.",
    labels,
  },
  parked: {
    name: "livecore_actor_parked_total",
    kind: "counter",
    help: "Loads of a snapshot that doesn't fit the code: its actor waits. Alert on any.",
    labels,
  },
  timerLag: {
    name: "livecore_timer_lag_seconds",
    kind: "histogram",
    help: "Time from a timer's due moment to its firing.",
    labels,
    buckets: LAGS,
  },
  outboxLag: {
    name: "livecore_outbox_lag_seconds",
    kind: "histogram",
    help: "Time from a commit to the telling of what it had to tell.",
    buckets: LAGS,
  },
} as const satisfies RecordedTable;

export type HostMetrics = Recorded<typeof HOST_METRICS>;

export const noMetrics: HostMetrics = silentMeter().record(HOST_METRICS);

export const MAILBOX_METRICS = {
  actors: {
    name: "livecore_actor_mailboxes",
    kind: "gauge",
    help: "Actors with something waiting or under way.",
  },
  requests: {
    name: "livecore_actor_mailbox_depth",
    kind: "gauge",
    help: "Requests that wait in mailboxes; grows with the load.",
  },
} as const satisfies ReadTable;
