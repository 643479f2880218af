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

export const PAYMENT_METRICS = {
  alerts: {
    name: "livecore_payment_alerts_total",
    kind: "counter",
    help: "What somebody has to look at: reports of the payment platform or the media service set aside or failing, calls that the payment platform didn't take.",
    labels: ["what"],
  },
} as const satisfies RecordedTable;
