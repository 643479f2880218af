import type { Log } from "../../../store/log.ts";
import type { Presence } from "../../rooms/presence.ts";
import { message } from "../socket/frames.ts";

const EVERY_MS = 5_000;
const TICK_MS = 250;
/** So that each comes in its turn, however many they are and whenever they began. */
const TICKS = EVERY_MS / TICK_MS;

type Watched = { followers: number; told: number; askedAt: number };

/** Tells those who follow a stream's viewers how many there are: at most once in 5 s, and only a change. */
export function createViewerCounts(deps: {
  presence: Pick<Presence, "countEach">;
  log: Log;
  publish(topic: string, frame: string): void;
}) {
  const { presence, log, publish } = deps;
  /** The one that was asked about the longest ago first. */
  const watched = new Map<string, Watched>();

  function* due(): Generator<string> {
    const now = performance.now();
    let left = Math.ceil(watched.size / TICKS);
    for (const [streamId, entry] of watched) {
      if (left-- === 0 || entry.askedAt > now - EVERY_MS) return;
      entry.askedAt = now;
      watched.delete(streamId);
      watched.set(streamId, entry);
      yield streamId;
    }
  }

  async function tell(streamIds: string[]): Promise<void> {
    for (const [streamId, viewerCount] of await presence.countEach(streamIds)) {
      const entry = watched.get(streamId);
      if (!entry || viewerCount === entry.told) continue;
      entry.told = viewerCount;
      const topic = `viewers:${streamId}`;
      publish(topic, `[${message("viewers.count", topic, { viewer_count: viewerCount })}]`);
    }
  }

  const timer = setInterval(() => {
    const streamIds = [...due()];
    if (streamIds.length === 0) return;
    tell(streamIds).catch((err: unknown) => log.debug({ err }, "counting viewers failed"));
  }, TICK_MS);

  return {
    /** `told` is what this follower has just been told. */
    follow(streamId: string, told: number): void {
      const entry = watched.get(streamId) ?? { followers: 0, told, askedAt: performance.now() };
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
