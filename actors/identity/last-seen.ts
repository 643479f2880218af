import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Sessions } from "../../store/mongo/sessions.ts";

/** A session is written at most so often. */
export const SEEN_EVERY_MS = 5 * 60_000;
const WRITE_EVERY_MS = 10_000;
const BATCH = 500;
/** Of one process; past that some are seen later. */
const MAX_KNOWN = 100_000;

/**
 * When sessions were last seen, by requests and sockets. Noted in memory and written beside them, some seconds later: it is there for
 * people who look for a session that isn't theirs, and no request waits for it. What a process that dies hadn't written is lost.
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
  /** When each was noted to be written, the oldest first. */
  const noted = new Map<string, number>();
  let waiting = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  function forgetOld(now: number): void {
    for (const [sessionId, at] of noted) {
      if (at + SEEN_EVERY_MS > now) return;
      noted.delete(sessionId);
    }
  }

  async function write(): Promise<void> {
    const seen = [...waiting].map(([sessionId, at]) => ({ sessionId, at: new Date(at) }));
    waiting = new Map();
    forgetOld(clock.now());
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
    /** Costs nothing but a look into memory. */
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
