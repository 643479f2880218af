import type { Recorded, RecordedTable } from "../../../base/metrics.ts";

export const REFUSAL_METRICS = {
  /**
   * `component` is where it was refused: a REST response (rest), a socket (socket: its upgrade, a command or its close), or a
   * room (admission), which counts refused messages a second time, whether they came by REST or socket. `operation` and `code`
   * come from lists in the contract, so cardinality is bounded.
   */
  refusals: {
    name: "livecore_refusals_total",
    kind: "counter",
    help: "Refusals by component, by operation (REST) or path or command (sockets), and by error code.",
    labels: ["component", "operation", "code"],
  },
} as const satisfies RecordedTable;

export type RefusalMetrics = Recorded<typeof REFUSAL_METRICS>;
