import { type ReadTable, type Recorded, type RecordedTable, silentMeter } from "../../base/metrics.ts";

const LATENCIES = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const LAGS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300];
const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500];

/** The machine is a label, since there are few of them; the actor isn't, since its cardinality is unbounded. */
const labels = ["machine"] as const;

export const HOST_METRICS = {
  batchSize: {
    name: "livecore_actor_batch_size",
    kind: "histogram",
    help: "Number of requests decided together in one commit.",
    labels,
    buckets: SIZES,
  },
  mailboxWait: {
    name: "livecore_actor_mailbox_wait_seconds",
    kind: "histogram",
    help: "Time that the oldest request of a batch waited; grows with load.",
    labels,
    buckets: LATENCIES,
  },
  commit: {
    name: "livecore_actor_commit_seconds",
    kind: "histogram",
    help: "Time from a batch's first read to the end of its commit, including retries.",
    labels,
    buckets: LATENCIES,
  },
  conflicts: {
    name: "livecore_actor_conflicts_total",
    kind: "counter",
    help: "Commit attempts that had to be repeated because several processes worked on the same actor.",
    labels,
  },
  overflows: {
    name: "livecore_actor_mailbox_overflows_total",
    kind: "counter",
    help: "Requests refused because the mailbox was full or the process was stopping.",
    labels,
  },
  timeouts: {
    name: "livecore_actor_mailbox_timeouts_total",
    kind: "counter",
    help: "Users' requests refused because they waited in the mailbox for a second, or for 100 ms under steady overload.",
    labels,
  },
  parked: {
    name: "livecore_actor_parked_total",
    kind: "counter",
    help: "Loaded snapshots that the code can't read; the actor is parked. Alert on any.",
    labels,
  },
  timerLag: {
    name: "livecore_timer_lag_seconds",
    kind: "histogram",
    help: "Time from when a timer was due to when it fired.",
    labels,
    buckets: LAGS,
  },
  outboxLag: {
    name: "livecore_outbox_lag_seconds",
    kind: "histogram",
    help: "Time from a commit to the publication of its events.",
    buckets: LAGS,
  },
} as const satisfies RecordedTable;

export type HostMetrics = Recorded<typeof HOST_METRICS>;

export const noMetrics: HostMetrics = silentMeter().record(HOST_METRICS);

export const MAILBOX_METRICS = {
  actors: {
    name: "livecore_actor_mailboxes",
    kind: "gauge",
    help: "Actors with requests waiting or in progress.",
  },
  requests: {
    name: "livecore_actor_mailbox_depth",
    kind: "gauge",
    help: "Requests waiting in mailboxes; grows with load.",
  },
} as const satisfies ReadTable;
