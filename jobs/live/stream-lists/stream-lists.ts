import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { listedStreamsIn } from "../../../store/mongo/live/listed-streams.ts";
import { repeat } from "../../tasks/repeat.ts";

type Deps = { mongo: Mongo; clock: Clock; log: Log; intervalMs?: number };

/**
 * Keeps the lists of live streams: removes ended streams that are due, and computes the ranks of the next window. Every
 * `jobs` worker does it; it is idempotent.
 */
export function startStreamLists({ mongo, clock, log, intervalMs = 5_000 }: Deps) {
  const streams = listedStreamsIn(mongo.db);

  async function tick(): Promise<void> {
    const now = new Date(clock.now());
    await streams.adopt(now);
    await streams.keep(now);
  }
  return { tick, ...repeat("stream-lists", tick, { intervalMs, clock, log }) };
}
