import { isUnavailable } from "./failures/unavailable.ts";
import type { Log } from "./log.ts";

/** While it lasts, a failure is logged again this often. */
const REPEAT_MS = 60_000;

/**
 * Logs what fails again and again as one outage: "<what> failed" when it begins and once a minute while it lasts, with the
 * failures since, and "<what> recovered" at the first success. So an outage of a store costs a few lines, however often its
 * users try. `what` is the beginning of a log line.
 */
export function createOutageLog(log: Log, what: string, now: () => number = () => performance.now()) {
  let begunAt: number | null = null;
  let loggedAt = 0;
  let failures = 0;
  return {
    failed(err: unknown, fields: object = {}): void {
      failures += 1;
      const at = now();
      if (begunAt !== null && at - loggedAt < REPEAT_MS) return;
      begunAt ??= at;
      loggedAt = at;
      log.warn({ ...fields, ...reasonOf(err), failures }, `${what} failed`);
    },
    succeeded(): void {
      if (begunAt === null) return;
      log.info({ failures, seconds: Math.round((now() - begunAt) / 1_000) }, `${what} recovered`);
      begunAt = null;
      failures = 0;
    },
  };
}

export type OutageLog = ReturnType<typeof createOutageLog>;

/** Where a store was used while it was away says nothing; any other error needs its stack. */
const reasonOf = (err: unknown): object =>
  isUnavailable(err) && err instanceof Error ? { reason: rootOf(err).message } : { err };

const rootOf = (err: Error): Error => (err.cause instanceof Error ? rootOf(err.cause) : err);
