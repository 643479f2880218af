import type { Log } from "./log.ts";
import { createOutageLog } from "./outage-log.ts";

/** Without a refusal for this long, an overload is over. */
const CALM_MS = 5_000;

/**
 * Logs refusals of what is too much as one outage: "<what> failed" when they begin and once a minute while they last, and
 * "<what> recovered" at the first success after five seconds without one. `what` is the beginning of a log line, `now` monotonic, ms.
 */
export function createOverloadLog(log: Log, what: string, now: () => number = () => performance.now()) {
  const outage = createOutageLog(log, what, now);
  let refusedAt: number | null = null;
  return {
    refused(refusal: unknown, fields: object = {}): void {
      refusedAt = now();
      outage.failed(refusal, fields);
    },
    served(at: number = now()): void {
      if (refusedAt === null || at - refusedAt <= CALM_MS) return;
      refusedAt = null;
      outage.succeeded();
    },
  };
}
