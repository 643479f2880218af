import type { Log } from "../../../store/log.ts";
import type { Rooms } from "../../rooms/rooms.ts";

const TICK_MS = 100;
/** In one tick; so many that change at once are reported within a second. */
const MAX_AT_ONCE = 1_000;
const KEEP_MS = 1_000;

/** Reports how many sockets each room has on this worker: what has changed, some at a time, within a second. */
export function createRoomSizes(deps: {
  rooms: Pick<Rooms, "connections">;
  /** By which this worker is known among those that live; another one when Redis has lost what it knew. */
  worker(): string;
  sizeOf(streamId: string): number;
  /** Rooms with a socket. */
  all(): Iterable<string>;
  log: Log;
}) {
  const { sizeOf, all, log } = deps;
  const { report, keep, leave } = deps.rooms.connections;
  // Bounded by the rooms that this worker has, and those it has lost since the last tick.
  const changed = new Set<string>();
  let name = deps.worker();
  let renewedAt = performance.now();
  let reporting: Promise<void> | null = null;

  async function reportChanged(): Promise<void> {
    const now = performance.now();
    if (now - renewedAt >= KEEP_MS) {
      renewedAt = now;
      name = deps.worker();
      // Of a new name, too, nothing is known.
      if (!(await keep(name))) for (const streamId of all()) changed.add(streamId);
    }
    if (changed.size === 0) return;
    const batch = new Map<string, number>();
    for (const streamId of changed) {
      if (batch.size === MAX_AT_ONCE) break;
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
    /** A socket has come or gone. */
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
