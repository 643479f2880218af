import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { createOutageLog } from "../../base/outage-log.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { OutboxDoc, OutboxRows } from "../../store/mongo/host/outbox.ts";
import type { BatchDeleter } from "./batch-deleter.ts";
import type { HostMetrics } from "./metrics.ts";

/** A row that fails this often, for other reasons than an unavailable store, is parked. */
const MAX_FAILURES = 10;

/** "some" = a row itself failed, "unavailable" = Redis wasn't reachable; in both cases the rest waits for the relay. */
export type PublishedRows = "all" | "some" | "unavailable";

type Deps = {
  rows: Pick<OutboxRows, "fail" | "park">;
  deleter: BatchDeleter;
  clock: Clock;
  log: Log;
  metrics: HostMetrics;
};

/** Publishes rows of one source in order, up to the first that fails: later rows must not overtake it. */
export function createRowPublisher(deps: Deps, publish: (row: OutboxDoc) => Promise<void>) {
  const { rows, deleter, clock, log, metrics } = deps;
  const outage = createOutageLog(log, "outbox publishing");

  async function tryPublish(row: OutboxDoc): Promise<PublishedRows | "parked"> {
    try {
      await publish(row);
      outage.succeeded();
      // Another process's clock may be ahead.
      metrics.outboxLag(Math.max(0, clock.now() - row.createdAt.getTime()) / 1_000);
      return "all";
    } catch (err) {
      if (err instanceof ServiceError && err.code === "unavailable") {
        outage.failed(err);
        return "unavailable";
      }
      if (row.failures + 1 < MAX_FAILURES) {
        log.warn({ err, actor: row.actor, type: row.type }, "an outbox row could not be published yet");
        await rows.fail(row._id);
        return "some";
      }
      log.error({ err, actor: row.actor, type: row.type, row: row._id }, "an outbox row is parked");
      await rows.park(row._id, new Date(clock.now()));
      return "parked";
    }
  }

  return async function publishRows(page: OutboxDoc[]): Promise<PublishedRows> {
    const done: string[] = [];
    let published: PublishedRows = "all";
    for (const row of page) {
      const result = await tryPublish(row);
      if (result === "all") done.push(row._id);
      else if (result !== "parked") {
        published = result;
        break;
      }
    }
    deleter.add(done);
    return published;
  };
}
