import type { Log } from "../../store/log.ts";

type Deps = {
  streams: { liveIds(): Promise<string[]>; setViewerCount(streamId: string, count: number): Promise<void> };
  presence: { count(streamId: string): Promise<number> };
  /** Told of each count, so that the broadcast knows its peak. */
  observed(streamId: string, count: number): Promise<unknown>;
  log: Log;
  intervalMs?: number;
};

/** Streams counted at once. */
const AT_ONCE = 20;

/** Copies the live viewer figures to the streams every few seconds: what lists are sorted by. Late figures are harmless. */
export function startViewerCounts({ streams, presence, observed, log, intervalMs = 5_000 }: Deps) {
  let sweeping: Promise<void> | null = null;

  async function sweep(): Promise<void> {
    const ids = await streams.liveIds();
    for (let i = 0; i < ids.length; i += AT_ONCE) {
      await Promise.all(
        ids.slice(i, i + AT_ONCE).map(async (streamId) => {
          const count = await presence.count(streamId);
          await streams.setViewerCount(streamId, count);
          await observed(streamId, count);
        }),
      );
    }
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
