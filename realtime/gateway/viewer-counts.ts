import type { Log } from "../../store/log.ts";
import type { Presence } from "../rooms/presence.ts";
import { message } from "./frames.ts";

const EVERY_MS = 5_000;
const TICK_MS = 500;

type Watched = { followers: number; told: number; askedAt: number };

/** Tells those who follow a stream's viewers how many there are: at most once in 5 s, and only a change. */
export function createViewerCounts(deps: {
  presence: Presence;
  log: Log;
  publish(topic: string, frame: string): void;
}) {
  const { presence, log, publish } = deps;
  const watched = new Map<string, Watched>();

  async function tell(streamId: string, entry: Watched): Promise<void> {
    entry.askedAt = Date.now();
    const viewerCount = await presence.count(streamId);
    if (viewerCount === entry.told) return;
    entry.told = viewerCount;
    const topic = `viewers:${streamId}`;
    publish(topic, `[${message("viewers.count", topic, { viewer_count: viewerCount })}]`);
  }

  const timer = setInterval(() => {
    const due = Date.now() - EVERY_MS;
    for (const [streamId, entry] of watched) {
      if (entry.askedAt > due) continue;
      tell(streamId, entry).catch((err: unknown) => log.debug({ err, streamId }, "counting viewers failed"));
    }
  }, TICK_MS);

  return {
    /** `told` is what this follower has just been told. */
    follow(streamId: string, told: number): void {
      const entry = watched.get(streamId) ?? { followers: 0, told, askedAt: Date.now() };
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
