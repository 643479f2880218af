import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { parkedActorsIn } from "../../store/mongo/parked-actors.ts";
import { LogThrottle } from "./log-throttle.ts";
import type { HostMetrics } from "./metrics.ts";
import type { UnreadableSnapshot } from "./snapshot-codec.ts";

/** A parked actor that is requested again and again is logged and written down so often. */
const AGAIN_MS = 60_000;
/** Notes under way; what comes beyond them is written down when it is met again. */
const MAX_WRITING = 32;
const LONGEST_REASON = 300;

export const machineOf = (actor: string) => actor.split(":", 1)[0] ?? "";

/** What is wrong with a snapshot, in a sentence. */
export function reasonOf({ message, cause }: UnreadableSnapshot): string {
  return (cause instanceof Error ? `${message}: ${cause.message}` : message).slice(0, LONGEST_REASON);
}

type Deps = { mongo: Mongo; clock: Clock; log: Log; metrics: HostMetrics };

/** Tells operators of actors whose snapshots this process can't read: by a count, a log line and a list in the database. */
export function createParkedReporter({ mongo, clock, log, metrics }: Deps) {
  const parked = parkedActorsIn(mongo.db);
  const said = new LogThrottle(AGAIN_MS);
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
      if (!said.isNews(actor)) return;
      log.error({ err, actor }, "an actor is parked: unreadable snapshot");
      if (writing.size >= MAX_WRITING) return;
      const noting = note(actor, err).finally(() => writing.delete(noting));
      writing.add(noting);
    },

    /** Resolves when all that was met is written down. */
    idle: async () => void (await Promise.all(writing)),
  };
}
