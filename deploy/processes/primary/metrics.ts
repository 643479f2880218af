import type { Readings, ReadTable } from "../../../base/metrics.ts";
import type { WorkerCount } from "./supervisor.ts";

const labels = ["kind"] as const;

export const WORKER_METRICS = {
  ready: {
    name: "livecore_workers_ready",
    kind: "gauge",
    help: "Workers that are currently serving.",
    labels,
  },
  restarts: {
    name: "livecore_worker_restarts_total",
    kind: "counter",
    help: "Workers restarted after they died.",
    labels,
  },
} as const satisfies ReadTable;

export const CLOCK_METRICS = {
  offset: {
    name: "livecore_clock_offset_seconds",
    kind: "gauge",
    help: "How far the clock of this host is ahead of a store's; of several Redis servers the one that differs most.",
    labels: ["store"],
  },
} as const satisfies ReadTable;

export function workerReadings(counts: readonly WorkerCount[]): Readings<typeof WORKER_METRICS> {
  const of = (value: "ready" | "restarts") =>
    counts.map((count) => ({ labels: { kind: count.kind }, value: count[value] }));
  return { ready: of("ready"), restarts: of("restarts") };
}
