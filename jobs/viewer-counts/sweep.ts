import type { Log } from "../../store/log.ts";
import type { ShownStream, Streams } from "../../store/mongo/streams.ts";

/** Looks at a broadcast that found so many viewers. */
export type Seen = { sessionId: string; viewers: number; looks: number };

type Deps = {
  streams: Pick<Streams, "shownLive" | "setViewerCounts">;
  /** Leaves out streams that can't be counted now. */
  presence: { countEach(streamIds: readonly string[]): Promise<Map<string, number>> };
  /** Keeps the peak and the average of each broadcast. */
  broadcasts: { sample(seen: readonly Seen[]): Promise<unknown> };
  log: Log;
  intervalMs?: number;
};

/** Streams counted, and written, at once. */
const AT_ONCE = 500;
/** Looks after which a broadcast is told of them, also when its viewers are as many as before: once a minute. */
const MOST_LOOKS = 12;

/** Those that a broadcast hasn't been told of, all with as many viewers as the last one that it was. */
type Looks = { viewers: number; looks: number; most: number };

/**
 * Copies the live viewer figures to the streams every few seconds: what lists are sorted by. Only what has changed is
 * written. Late figures are harmless.
 */
export function startViewerCounts({ streams, presence, broadcasts, log, intervalMs = 5_000 }: Deps) {
  let sweeping: Promise<void> | null = null;
  let known = new Map<string, Looks>();

  async function sweep(): Promise<void> {
    // Of those that went offline nothing is kept.
    const still = new Map<string, Looks>();
    // All of them before the first is written, which would move it in the index that is read.
    const live = await streams.shownLive();
    for (let i = 0; i < live.length; i += AT_ONCE) await copy(live.slice(i, i + AT_ONCE), still);
    known = still;
  }

  async function copy(some: readonly ShownStream[], still: Map<string, Looks>): Promise<void> {
    const counts = await presence.countEach(some.map(({ streamId }) => streamId));
    const changed: { streamId: string; viewerCount: number }[] = [];
    const seen: Seen[] = [];
    for (const { streamId, sessionId, viewerCount } of some) {
      const viewers = counts.get(streamId);
      if (viewers === undefined) {
        const before = sessionId === null ? undefined : known.get(sessionId);
        if (sessionId !== null && before) still.set(sessionId, before);
        continue;
      }
      if (viewers !== viewerCount) changed.push({ streamId, viewerCount: viewers });
      if (sessionId === null) continue;
      const { tell, keep } = look(viewers, known.get(sessionId), still.size);
      for (const looks of tell) seen.push({ sessionId, ...looks });
      still.set(sessionId, keep);
    }
    if (changed.length > 0) await streams.setViewerCounts(changed);
    if (seen.length > 0) await broadcasts.sample(seen);
  }

  /** One pass; while one runs, the same. A pass that fails is logged, and the next one tries again. */
  function tick(): Promise<void> {
    sweeping ??= sweep()
      .catch((err: unknown) => log.warn({ err }, "viewer counts could not be copied"))
      .finally(() => {
        sweeping = null;
      });
    return sweeping;
  }

  const timer = setInterval(() => void tick(), intervalMs);
  return {
    tick,
    async stop(): Promise<void> {
      clearInterval(timer);
      await sweeping;
    },
  };
}

/** One more look; `nth` spreads those that begin together. A change is told at once, so what a crash takes is no more than weight. */
function look(viewers: number, before: Looks | undefined, nth: number) {
  const tell: Pick<Seen, "viewers" | "looks">[] = [];
  if (before?.viewers === viewers) {
    const looks = before.looks + 1;
    if (looks < before.most) return { tell, keep: { ...before, looks } };
    tell.push({ viewers, looks });
  } else {
    if (before && before.looks > 0) tell.push({ viewers: before.viewers, looks: before.looks });
    tell.push({ viewers, looks: 1 });
  }
  return { tell, keep: { viewers, looks: 0, most: before ? MOST_LOOKS : 1 + (nth % MOST_LOOKS) } };
}
