import type { RecordedTable } from "../../store/metrics.ts";

export const ANALYTICS_METRICS = {
  looks: {
    name: "livecore_analytics_looks_total",
    kind: "counter",
    help: "Live channels whose viewers were counted for a minute (alert on none for five minutes: viewership is unavailable then).",
  },
  hours: {
    name: "livecore_analytics_rollups_total",
    kind: "counter",
    help: "Hours of channels that were counted into rollups.",
  },
} as const satisfies RecordedTable;
