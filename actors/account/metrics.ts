import type { RecordedTable } from "../../store/metrics.ts";

export const ACCOUNT_METRICS = {
  stuck: {
    name: "livecore_stuck_deletions_total",
    kind: "counter",
    help: "Tries to settle or erase a deleted account that failed after several others of it had (alert on any; the log names it).",
    labels: ["step"],
  },
} as const satisfies RecordedTable;
