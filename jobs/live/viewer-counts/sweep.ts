import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import type { ShownStream, Streams } from "../../../store/mongo/channels/streams.ts";

/** A number of samples (`looks`) of a broadcast that all found the same number of viewers. */
export type ViewerSamples = { sessionId: string; viewers: number; looks: number };

type Deps = {
  streams: Pick<Streams, "shownLive" | "setViewerCounts">;
  /** Omits streams that can't be counted now. */
  presence: { countEach(streamIds: readonly string[]): Promise<Map<string, number>> };
  /** Keeps the peak and the average of each broadcast. */
  broadcasts: { sample(seen: readonly ViewerSamples[]): Promise<unknown> };
  log: Log;
  intervalMs?: number;
};

/** Streams counted and written per batch. */
const BATCH_SIZE = 500;
/** Unchanged samples that are written together: once a minute. */
const MAX_PENDING_SAMPLES = 12;

/** Samples not yet written, all with the viewer count of the last one that was. */
type PendingSamples = { viewers: number; looks: number; most: number };

/**
 * Copies the live viewer counts to the streams every few seconds, since lists are sorted by them. Only changes are written.
 * Late counts are harmless.
 */
export function startViewerCounts({ streams, presence, broadcasts, log, intervalMs = 5_000 }: Deps) {
  let sweeping: Promise<void> | null = null;
  const outage = createOutageLog(log, "viewer counts");
  let known = new Map<string, PendingSamples>();

  async function sweep(): Promise<void> {
    // Broadcasts that went offline are dropped.
    const current = new Map<string, PendingSamples>();
    // All are read before the first write, which would move a stream in the index that is being read.
    const live = await streams.shownLive();
    for (let i = 0; i < live.length; i += BATCH_SIZE) await copy(live.slice(i, i + BATCH_SIZE), current);
    known = current;
  }

  async function copy(batch: readonly ShownStream[], current: Map<string, PendingSamples>): Promise<void> {
    const counts = await presence.countEach(batch.map(({ streamId }) => streamId));
    const changed: { streamId: string; viewerCount: number }[] = [];
    const seen: ViewerSamples[] = [];
    for (const { streamId, sessionId, viewerCount } of batch) {
      const viewers = counts.get(streamId);
      if (viewers === undefined) {
        const before = sessionId === null ? undefined : known.get(sessionId);
        if (sessionId !== null && before) current.set(sessionId, before);
        continue;
      }
      if (viewers !== viewerCount) changed.push({ streamId, viewerCount: viewers });
      if (sessionId === null) continue;
      const { write, keep } = addSample(viewers, known.get(sessionId), current.size);
      for (const looks of write) seen.push({ sessionId, ...looks });
      current.set(sessionId, keep);
    }
    if (changed.length > 0) await streams.setViewerCounts(changed);
    if (seen.length > 0) await broadcasts.sample(seen);
  }

  /** One pass (single flight). A failed pass is logged, and the next one retries. */
  function tick(): Promise<void> {
    sweeping ??= sweep()
      .then(outage.succeeded, outage.failed)
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

/**
 * Adds one sample; `nth` spreads the writes of broadcasts that begin together. A change is written at once, so a crash only
 * loses weight of the average.
 */
function addSample(viewers: number, before: PendingSamples | undefined, nth: number) {
  const write: Pick<ViewerSamples, "viewers" | "looks">[] = [];
  if (before?.viewers === viewers) {
    const looks = before.looks + 1;
    if (looks < before.most) return { write, keep: { ...before, looks } };
    write.push({ viewers, looks });
  } else {
    if (before && before.looks > 0) write.push({ viewers: before.viewers, looks: before.looks });
    write.push({ viewers, looks: 1 });
  }
  return {
    write,
    keep: { viewers, looks: 0, most: before ? MAX_PENDING_SAMPLES : 1 + (nth % MAX_PENDING_SAMPLES) },
  };
}
