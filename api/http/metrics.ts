import type { RecordedTable } from "../../store/metrics.ts";

export const HTTP_METRICS = {
  answered: {
    name: "livecore_http_request_seconds",
    kind: "histogram",
    help: "Time from receiving a request's head to its answer, by operation and status class.",
    labels: ["operation", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  cachedReads: {
    name: "livecore_http_cached_reads_total",
    kind: "counter",
    help: "Reads without credentials of cached operations, by result: from the cache (hit), shared with a concurrent request (shared), computed (miss).",
    labels: ["operation", "result"],
  },
} as const satisfies RecordedTable;
