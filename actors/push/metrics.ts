import type { RecordedTable } from "../../store/metrics.ts";

export const PUSH_METRICS = {
  pushes: {
    name: "livecore_pushes_total",
    kind: "counter",
    help: "Tries to send a push by service and outcome: sent, gone (the device was removed), failed (tried again), given_up, late, no_device.",
    labels: ["service", "outcome"],
  },
} as const satisfies RecordedTable;
