import type { RecordedTable } from "../../../base/metrics.ts";

export const ACCOUNT_METRICS = {
  stuck: {
    name: "livecore_stuck_deletions_total",
    kind: "counter",
    help: "Failed attempts to settle or erase a deleted account, after several earlier failures for the same account (alert on any; the log names the account).",
    labels: ["step"],
  },
} as const satisfies RecordedTable;
