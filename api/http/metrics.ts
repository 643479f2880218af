import type { RecordedTable } from "../../store/metrics.ts";

export const HTTP_METRICS = {
  answered: {
    name: "livecore_http_request_seconds",
    kind: "histogram",
    help: "Time from a request's head to its answer, by operation and class of status.",
    labels: ["operation", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  cachedReads: {
    name: "livecore_http_cached_reads_total",
    kind: "counter",
    help: "Reads without credentials of operations whose answers are kept: from there (hit), with somebody else's (shared), made (miss).",
    labels: ["operation", "result"],
  },
} as const satisfies RecordedTable;
