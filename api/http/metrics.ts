import type { Readings, ReadTable, RecordedTable } from "../../base/metrics.ts";

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
  shed: {
    name: "livecore_http_shed_total",
    kind: "counter",
    help: "Requests refused with 503 because they would have waited too long for a slot, by kind of slot (API_CONCURRENCY).",
    labels: ["slots"],
  },
} as const satisfies RecordedTable;

export const SLOT_METRICS = {
  taken: {
    name: "livecore_http_slots_taken",
    kind: "gauge",
    help: "Requests that are being worked on, by kind of slot; each worker has API_CONCURRENCY.",
    labels: ["slots"],
  },
  waiting: {
    name: "livecore_http_requests_waiting",
    kind: "gauge",
    help: "Requests that wait for a slot, by kind of slot.",
    labels: ["slots"],
  },
} as const satisfies ReadTable;

export type SlotReadings = Readings<typeof SLOT_METRICS>;
