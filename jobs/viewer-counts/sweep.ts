import type { Log } from "../../store/log.ts";
import type { ShownStream, Streams } from "../../store/mongo/streams.ts";

/** Samples of a broadcast that found so many viewers. */
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
/** Unchanged samples that are written together: once a minute. */
const MAX_LOOKS = 12;

/** Samples not yet written, all with as many viewers as the last one that was. */
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
      const { write, keep } = look(viewers, known.get(sessionId), still.size);
      for (const looks of write) seen.push({ sessionId, ...looks });
      still.set(sessionId, keep);
    }
    if (changed.length > 0) await streams.setViewerCounts(changed);
    if (seen.length > 0) await broadcasts.sample(seen);
  }

  /** One pass (single flight). A pass that fails is logged, and the next one retries. */
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

/** One more sample; `nth` spreads those that begin together. A change is written at once, so a crash loses weight of the average alone. */
function look(viewers: number, before: Looks | undefined, nth: number) {
  const write: Pick<Seen, "viewers" | "looks">[] = [];
  if (before?.viewers === viewers) {
    const looks = before.looks + 1;
    if (looks < before.most) return { write, keep: { ...before, looks } };
    write.push({ viewers, looks });
  } else {
    if (before && before.looks > 0) write.push({ viewers: before.viewers, looks: before.looks });
    write.push({ viewers, looks: 1 });
  }
  return { write, keep: { viewers, looks: 0, most: before ? MAX_LOOKS : 1 + (nth % MAX_LOOKS) } };
}
