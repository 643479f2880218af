import type { Clock } from "../../base/clock.ts";
import { MINUTE_MS } from "../../base/durations.ts";
import type { Log } from "../../base/log.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { parkedActorsIn } from "../../store/mongo/host/parked-actors.ts";
import { LogThrottle } from "./log-throttle.ts";
import type { HostMetrics } from "./metrics.ts";
import type { UnreadableSnapshot } from "./snapshot-codec.ts";

/** How often a parked actor that gets requests is logged and recorded. */
const AGAIN_MS = MINUTE_MS;
/** Concurrent writes of records; beyond that, an actor is recorded when it is next met. */
const MAX_WRITING = 32;
const MAX_REASON_LENGTH = 300;

export const machineOf = (actor: string) => actor.split(":", 1)[0] ?? "";

/** What is wrong with a snapshot, in a sentence. */
export function reasonOf({ message, cause }: UnreadableSnapshot): string {
  return (cause instanceof Error ? `${message}: ${cause.message}` : message).slice(0, MAX_REASON_LENGTH);
}

type Deps = { mongo: Mongo; clock: Clock; log: Log; metrics: HostMetrics };

/** Reports actors whose snapshots this process can't read: by a metric, a log line and a list in the database. */
export function createParkedReporter({ mongo, clock, log, metrics }: Deps) {
  const parked = parkedActorsIn(mongo.db);
  const throttle = new LogThrottle(AGAIN_MS);
  const writing = new Set<Promise<void>>();

  async function note(actor: string, err: UnreadableSnapshot): Promise<void> {
    const now = new Date(clock.now());
    const { machineVersion } = err;
    const met = { machine: machineOf(actor), machineVersion, reason: reasonOf(err), since: now, seenAt: now };
    try {
      await parked.note({ _id: actor, ...met });
    } catch (failure) {
      log.warn({ err: failure, actor }, "a parked actor could not be written down");
    }
  }

  return {
    met(actor: string, err: UnreadableSnapshot): void {
      metrics.parked(1, { machine: machineOf(actor) });
      if (!throttle.isNews(actor)) return;
      log.error({ err, actor }, "an actor is parked: unreadable snapshot");
      if (writing.size >= MAX_WRITING) return;
      const noting = note(actor, err).finally(() => writing.delete(noting));
      writing.add(noting);
    },

    /** Resolves when all writes of records are done. */
    idle: async () => void (await Promise.all(writing)),
  };
}
