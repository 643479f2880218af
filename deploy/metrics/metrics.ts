import type { Recorded, RecordedTable } from "../../store/metrics.ts";

export const REFUSAL_METRICS = {
  /**
   * `component` says where: by an answer of REST (rest), at a socket (socket: its upgrade, a command, its end), or by a room
   * (admission), which counts a message once more, by REST or socket alike. `operation` and `code` come from lists of the
   * contract, so that there are few of them.
   */
  refusals: {
    name: "livecore_refusals_total",
    kind: "counter",
    help: "Refusals by component, operation (REST) or path or command (sockets), and error code.",
    labels: ["component", "operation", "code"],
  },
} as const satisfies RecordedTable;

export type RefusalMetrics = Recorded<typeof REFUSAL_METRICS>;
