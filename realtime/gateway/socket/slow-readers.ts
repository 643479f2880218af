import { CLOSINGS } from "./close-codes.ts";
import type { Connection } from "./connection.ts";
import type { SendBufferLimits } from "./send-buffer.ts";

/** Closes sockets whose reader is too far behind, or has stopped reading a replay. */
export function createSlowReaders(deps: {
  all: Iterable<Connection>;
  buffer: SendBufferLimits;
  /** A reader that takes nothing of a waiting replay for this long is closed. */
  stalledMs: number;
}) {
  const { all, buffer, stalledMs } = deps;
  let publishedBytes = 0;
  let sweptAt = 0;
  let early: NodeJS.Timeout | null = null;
  let closed = 0;

  /** Always runs in a turn of its own: touching a socket inside uWS's `dropped` ends the process. */
  function sweep(): void {
    publishedBytes = 0;
    sweptAt = performance.now();
    if (early) clearTimeout(early);
    early = null;
    const now = performance.now();
    for (const connection of all) {
      const isBehind = connection.backlog > buffer.softBytes;
      if (!isBehind && connection.stalledMs(now) <= stalledMs) continue;
      connection.unfollowAll();
      connection.end(CLOSINGS.slowConsumer);
      closed++;
    }
  }
  const sweeping = setInterval(sweep, buffer.sweepMs);

  return {
    published(bytes: number): void {
      publishedBytes += bytes;
      if (publishedBytes < buffer.sweepBytes) return;
      early ??= setTimeout(sweep, Math.max(0, sweptAt + buffer.sweepsApartMs - performance.now()));
    },
    /** Number of sockets closed with 4008 so far. */
    count: () => closed,
    stop(): void {
      clearInterval(sweeping);
      if (early) clearTimeout(early);
    },
  };
}
