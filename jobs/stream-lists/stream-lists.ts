import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { ListedStreams } from "../../store/mongo/listed-streams.ts";
import { repeat } from "../repeat.ts";

type Deps = { streams: Pick<ListedStreams, "adopt" | "keep">; clock: Clock; log: Log; intervalMs?: number };

/**
 * Keeps the places of streams in lists: gives up those that are due, and counts the ranks of the next window. Every `jobs`
 * worker does it; doing it twice changes nothing.
 */
export function startStreamPlaces({ streams, clock, log, intervalMs = 5_000 }: Deps) {
  async function tick(): Promise<void> {
    const now = new Date(clock.now());
    await streams.adopt(now);
    await streams.keep(now);
  }
  return { tick, ...repeat("places in stream lists", tick, intervalMs, log) };
}
