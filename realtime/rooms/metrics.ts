import type { Readings, ReadTable } from "../../base/metrics.ts";

export const ADMISSION_METRICS = {
  waiting: {
    name: "livecore_admission_waiting",
    kind: "gauge",
    help: "Messages that wait until a worker decides about them; none on a worker that keeps up.",
  },
  running: {
    name: "livecore_admission_running",
    kind: "gauge",
    help: "Messages that are being decided about; at most 96 per worker.",
  },
  refused: {
    name: "livecore_admission_overload_refusals_total",
    kind: "counter",
    help: "Messages refused because they had waited too long in a worker, or would have; also in livecore_refusals_total as unavailable.",
  },
  lateLookups: {
    name: "livecore_admission_lookup_timeouts_total",
    kind: "counter",
    help: "Messages refused because what they need from MongoDB took longer than a second; also in livecore_refusals_total as unavailable.",
  },
} as const satisfies ReadTable;

export type AdmissionStats = Readings<typeof ADMISSION_METRICS>;
