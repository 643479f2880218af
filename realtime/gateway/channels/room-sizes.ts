import type { Log } from "../../../base/log.ts";
import type { Rooms } from "../../rooms/rooms.ts";

const TICK_MS = 100;
/** Rooms per tick. */
const MAX_PER_TICK = 1_000;
const KEEP_MS = 1_000;

/** Reports how many sockets each room has on this worker: only what has changed, in batches, within a second. */
export function createRoomSizes(deps: {
  rooms: Pick<Rooms, "connections">;
  /** This worker's name among the live workers; it changes when Redis has lost its data. */
  worker(): string;
  sizeOf(streamId: string): number;
  /** Rooms with a socket. */
  all(): Iterable<string>;
  log: Log;
}) {
  const { sizeOf, all, log } = deps;
  const { report, keep, leave } = deps.rooms.connections;
  // Bounded by this worker's rooms, and those that it has left since the last tick.
  const changed = new Set<string>();
  let name = deps.worker();
  let renewedAt = performance.now();
  let reporting: Promise<void> | null = null;

  async function reportChanged(): Promise<void> {
    const now = performance.now();
    if (now - renewedAt >= KEEP_MS) {
      renewedAt = now;
      name = deps.worker();
      // Redis knows nothing of a new name either.
      if (!(await keep(name))) for (const streamId of all()) changed.add(streamId);
    }
    if (changed.size === 0) return;
    const batch = new Map<string, number>();
    for (const streamId of changed) {
      if (batch.size === MAX_PER_TICK) break;
      changed.delete(streamId);
      batch.set(streamId, sizeOf(streamId));
    }
    try {
      await report(name, batch);
    } catch (err) {
      for (const streamId of batch.keys()) changed.add(streamId);
      throw err;
    }
  }

  const timer = setInterval(() => {
    reporting ??= reportChanged()
      .catch((err: unknown) => log.debug({ err }, "reporting the sizes of rooms failed; will try again"))
      .finally(() => {
        reporting = null;
      });
  }, TICK_MS);

  return {
    /** A socket has entered or left the room. */
    changed: (streamId: string) => void changed.add(streamId),
    async stop(): Promise<void> {
      clearInterval(timer);
      await reporting;
      await leave(name).catch((err: unknown) => {
        log.debug({ err }, "the sockets of this worker's rooms count for some seconds more");
      });
    },
  };
}
