import type { RecordedTable } from "../../../base/metrics.ts";

export const ANALYTICS_METRICS = {
  looks: {
    name: "livecore_analytics_looks_total",
    kind: "counter",
    help: "Per-minute viewer counts of live channels (alert if there are none for five minutes: viewership is unavailable then).",
  },
  hours: {
    name: "livecore_analytics_rollups_total",
    kind: "counter",
    help: "Channel hours aggregated into rollups.",
  },
} as const satisfies RecordedTable;
