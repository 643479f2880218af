import type { RecordedTable } from "../../store/metrics.ts";

export const MAIL_METRICS = {
  mails: {
    name: "livecore_mails_total",
    kind: "counter",
    help: "Tries to send a mail by template and outcome: sent, failed (tried again), given_up (alert on any), limited (its recipient had enough of the kind).",
    labels: ["template", "outcome"],
  },
} as const satisfies RecordedTable;
