import type { ReadTable } from "../../../base/metrics.ts";

export const LOG_METRICS = {
  dropped: {
    name: "livecore_log_lines_dropped_total",
    kind: "counter",
    help: "Log lines dropped because standard output wasn't read.",
  },
} as const satisfies ReadTable;
