import type { Log } from "../../../base/log.ts";
import type { Presence } from "../../rooms/presence.ts";
import { frameOf, message } from "../socket/frames.ts";

const EVERY_MS = 5_000;
const TICK_MS = 250;
/** A tick counts one share of the streams, so that each has its turn however many they are and whenever they began. */
const TICKS_PER_ROUND = EVERY_MS / TICK_MS;

type Watched = { followers: number; lastSent: number; countedAt: number };

/** Sends a stream's viewer count to the sockets of its viewers channel: at most once in 5 s, and only if it has changed. */
export function createViewerCounts(deps: {
  presence: Pick<Presence, "countEach">;
  log: Log;
  publish(topic: string, frame: Buffer): void;
}) {
  const { presence, log, publish } = deps;
  /** In the order of the last count, oldest first. */
  const watched = new Map<string, Watched>();

  function* due(): Generator<string> {
    const now = performance.now();
    let left = Math.ceil(watched.size / TICKS_PER_ROUND);
    for (const [streamId, entry] of watched) {
      if (left-- === 0 || entry.countedAt > now - EVERY_MS) return;
      entry.countedAt = now;
      watched.delete(streamId);
      watched.set(streamId, entry);
      yield streamId;
    }
  }

  async function sendCounts(streamIds: string[]): Promise<void> {
    for (const [streamId, viewerCount] of await presence.countEach(streamIds)) {
      const entry = watched.get(streamId);
      if (!entry || viewerCount === entry.lastSent) continue;
      entry.lastSent = viewerCount;
      const topic = `viewers:${streamId}`;
      publish(topic, frameOf(message("viewers.count", topic, { viewer_count: viewerCount })));
    }
  }

  const timer = setInterval(() => {
    const streamIds = [...due()];
    if (streamIds.length === 0) return;
    sendCounts(streamIds).catch((err: unknown) => log.debug({ err }, "counting viewers failed"));
  }, TICK_MS);

  return {
    /** `viewerCount` is the count that this follower has just been sent. */
    follow(streamId: string, viewerCount: number): void {
      const entry = watched.get(streamId) ?? {
        followers: 0,
        lastSent: viewerCount,
        countedAt: performance.now(),
      };
      entry.followers++;
      watched.set(streamId, entry);
    },
    leave(streamId: string): void {
      const entry = watched.get(streamId);
      if (entry && --entry.followers === 0) watched.delete(streamId);
    },
    stop: () => clearInterval(timer),
  };
}

export type ViewerCounts = ReturnType<typeof createViewerCounts>;
