import type { RecordedTable } from "../../../base/metrics.ts";

export const PUSH_METRICS = {
  pushes: {
    name: "livecore_pushes_total",
    kind: "counter",
    help: "Attempts to send a push notification, by service and outcome: sent, gone (the device was removed), failed (will be retried), given_up, late, no_device.",
    labels: ["service", "outcome"],
  },
} as const satisfies RecordedTable;
