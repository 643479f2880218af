import type { RecordedTable } from "../../base/metrics.ts";

export const HOOK_METRICS = {
  alerts: {
    name: "livecore_hook_alerts_total",
    kind: "counter",
    help: "Problems with another service that need attention, by service: webhooks from it that were set aside or failed, and calls that it didn't accept.",
    labels: ["source", "what"],
  },
} as const satisfies RecordedTable;

/** Called with problems that need an operator; `source` is the reporter: `billing` or `media`. */
export type OnAlert = (source: string, what: string) => void;
