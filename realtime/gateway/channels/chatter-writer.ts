import type { Log } from "../../../base/log.ts";
import type { ChatterChange } from "../../rooms/chatters.ts";
import type { Rooms } from "../../rooms/rooms.ts";

const TICK_MS = 250;
/** Changes per write and per tick. */
const MAX_PER_WRITE = 2_000;
const MAX_PER_TICK = 20_000;
const KEEP_MS = 1_000;

/**
 * Reports which signed-in users have a socket in which room on this worker, four times a second: the latest state of each
 * user, however often they came and went meanwhile. Bounded by the users with sockets here, and those who left since the
 * last tick.
 */
export function createChatterWriter(deps: {
  rooms: Pick<Rooms, "chatters">;
  /** This worker's name among the live workers; it changes when Redis has lost its data. */
  worker(): string;
  log: Log;
}) {
  const { log } = deps;
  const { report, keep, leave } = deps.rooms.chatters;
  /** Number of sockets, by room and user. */
  const here = new Map<string, { streamId: string; userId: string; sockets: number }>();
  const changed = new Map<string, ChatterChange>();
  let name = deps.worker();
  let keptAt = performance.now();
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    const now = performance.now();
    if (now - keptAt >= KEEP_MS) {
      keptAt = now;
      name = deps.worker();
      // Redis knows nothing of a new name either.
      if (!(await keep(name))) {
        for (const [key, { streamId, userId }] of here) changed.set(key, { streamId, userId, isHere: true });
      }
    }
    for (let written = 0; changed.size > 0 && written < MAX_PER_TICK; written += MAX_PER_WRITE) {
      const batch = [...changed.entries()].slice(0, MAX_PER_WRITE);
      await report(
        name,
        batch.map(([, change]) => change),
      );
      // A change that came during the write stays queued.
      for (const [key, change] of batch) if (changed.get(key) === change) changed.delete(key);
    }
  }

  const timer = setInterval(() => {
    writing ??= write()
      .catch((err: unknown) => log.debug({ err }, "reporting who is in rooms failed; will try again"))
      .finally(() => {
        writing = null;
      });
  }, TICK_MS);

  return {
    entered(streamId: string, holder: { userId: string } | null): void {
      if (!holder) return;
      const { userId } = holder;
      const key = `${streamId} ${userId}`;
      const user = here.get(key) ?? { streamId, userId, sockets: 0 };
      here.set(key, user);
      if (++user.sockets === 1) changed.set(key, { streamId, userId, isHere: true });
    },
    left(streamId: string, holder: { userId: string } | null): void {
      if (!holder) return;
      const { userId } = holder;
      const key = `${streamId} ${userId}`;
      const user = here.get(key);
      if (!user || --user.sockets > 0) return;
      here.delete(key);
      changed.set(key, { streamId, userId, isHere: false });
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await writing;
      await leave(name).catch((err: unknown) => {
        log.debug({ err }, "this worker's users are shown in their rooms for some seconds more");
      });
    },
  };
}
