import type { RecordedTable } from "../../store/metrics.ts";

export const HOOK_METRICS = {
  alerts: {
    name: "livecore_hook_alerts_total",
    kind: "counter",
    help: "What somebody has to look at, by the service that it is about: reports of it set aside or failing, calls that it didn't take.",
    labels: ["source", "what"],
  },
} as const satisfies RecordedTable;

/** Called with what somebody has to look at; `source` is whose reports they are: `billing` or `media`. */
export type OnAlert = (source: string, what: string) => void;
