import type { RecordedTable } from "../../base/metrics.ts";

export const MAIL_METRICS = {
  mails: {
    name: "livecore_mails_total",
    kind: "counter",
    help: "Attempts to send a mail, by template and outcome: sent, failed (will be retried), given_up (alert on any), limited (the recipient's limit for this kind of mail was reached).",
    labels: ["template", "outcome"],
  },
} as const satisfies RecordedTable;
