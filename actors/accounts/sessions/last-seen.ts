import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import type { Sessions } from "../../../store/mongo/accounts/sessions.ts";

/** A session's time is written at most this often. */
export const SEEN_EVERY_MS = 5 * MINUTE_MS;
const WRITE_EVERY_MS = 10_000;
const BATCH = 500;
/** Sessions per process; beyond that, further ones are recorded later. */
const MAX_KNOWN = 100_000;

/**
 * Records when sessions were last seen by requests and sockets. Buffered in memory and written in the background some seconds
 * later, so no request waits for it: users only need it to notice a session that isn't theirs. A crash loses the buffer.
 */
export function createLastSeen({
  sessions,
  clock,
  log,
}: {
  sessions: Pick<Sessions, "seen">;
  clock: Clock;
  log: Log;
}) {
  /** When each session was last noted, oldest first. */
  const noted = new Map<string, number>();
  let waiting = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  function evictOld(now: number): void {
    for (const [sessionId, at] of noted) {
      if (at + SEEN_EVERY_MS > now) return;
      noted.delete(sessionId);
    }
  }

  async function write(): Promise<void> {
    const seen = [...waiting].map(([sessionId, at]) => ({ sessionId, at: new Date(at) }));
    waiting = new Map();
    evictOld(clock.now());
    try {
      for (let i = 0; i < seen.length; i += BATCH)
        await sessions.seen(seen.slice(i, i + BATCH), (at) => new Date(at.getTime() - SEEN_EVERY_MS));
    } catch (err) {
      log.warn({ err }, "when sessions were last seen could not be written");
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  return {
    /** Only touches memory. */
    note(sessionId: string): void {
      const now = clock.now();
      const last = noted.get(sessionId);
      if (last !== undefined && now - last < SEEN_EVERY_MS) return;
      if (last === undefined && noted.size >= MAX_KNOWN) return;
      noted.delete(sessionId);
      noted.set(sessionId, now);
      waiting.set(sessionId, now);
    },
    flush,
    start(): void {
      timer = setInterval(() => void flush(), WRITE_EVERY_MS);
      timer.unref();
    },
    async stop(): Promise<void> {
      if (timer) clearInterval(timer);
      timer = null;
      await flush();
    },
  };
}

export type LastSeen = ReturnType<typeof createLastSeen>;
