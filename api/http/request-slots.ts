import type { Log } from "../../base/log.ts";
import { createOverloadLog } from "../../base/overload-log.ts";
import type { Operation } from "../../contract/openapi-document.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { SlotReadings } from "./metrics.ts";

/**
 * Requests that a worker works on at the same time, of each kind: as many as its MongoDB pool has connections. What is served
 * beyond that waits for those, or for the processor, and takes as much longer.
 */
const REQUEST_SLOTS = 50;
/** Of these as many again for `reserved`. */
const RESERVED_SHARE = 0.25;

/**
 * Separate slots, so that one kind of request doesn't wait for another:
 * - `database`: all others;
 * - `without_database`: what goes on while MongoDB is unavailable, and all the rest waits for it;
 * - `reserved`: staff, and other services, whose reports often come only once.
 */
type SlotKind = "database" | "without_database" | "reserved";

export type RequestSlots = ReturnType<typeof createRequestSlots>;

export function createRequestSlots({
  slots = REQUEST_SLOTS,
  log,
  onRefused = () => undefined,
}: {
  slots?: number;
  log: Log;
  /** Called with every request that is refused for want of a slot, for metrics. */
  onRefused?: (kind: SlotKind) => void;
}) {
  const overload = createOverloadLog(log, "admission of requests");

  function limit(kind: SlotKind, share = 1) {
    const made: ConcurrencyLimit = new ConcurrencyLimit({
      slots: Math.max(1, Math.ceil(slots * share)),
      onRefused(refusal) {
        overload.refused(refusal, { slots: kind, taken: made.taken, waiting: made.waiting });
        onRefused(kind);
      },
      onTaken: () => overload.served(),
    });
    return made;
  }

  const limits = {
    database: limit("database"),
    without_database: limit("without_database"),
    reserved: limit("reserved", RESERVED_SHARE),
  } satisfies Record<SlotKind, ConcurrencyLimit>;

  function kindOf({ "x-access": { who, signed, without_database } }: Operation): SlotKind {
    if (who === "system" || who === "staff" || signed !== undefined) return "reserved";
    return without_database ? "without_database" : "database";
  }

  return {
    /** Null for health checks, which never wait. */
    of: (operation: Operation): ConcurrencyLimit | null =>
      operation["x-health-check"] ? null : limits[kindOf(operation)],
    /** For pages, which aren't operations. */
    ofPages: limits.database,
    readings: (): SlotReadings => {
      const all = Object.entries(limits);
      return {
        taken: all.map(([kind, { taken }]) => ({ labels: { slots: kind }, value: taken })),
        waiting: all.map(([kind, { waiting }]) => ({ labels: { slots: kind }, value: waiting })),
      };
    },
  };
}
