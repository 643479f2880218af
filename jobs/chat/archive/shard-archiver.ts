import { setTimeout as delay } from "node:timers/promises";
import { processClock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { positionOfId } from "../../../base/room-position.ts";
import type { ArchiveChange, ChatMessages } from "../../../store/mongo/chat/chat-messages.ts";
import { keys } from "../../../store/redis/keys.ts";
import { openBlockingReader, type RedisConnection } from "../../../store/redis/nodes.ts";
import { createLease } from "../../tasks/lease.ts";
import { createBatchSize } from "./batch-size.ts";
import { changesOf } from "./changes.ts";
import { type Entry, type LiveStreams, liveStreams } from "./live-streams.ts";

const STANDBY_MS = 1_000;
const RETRY_MS = 500;
/** Trims after this many entries even before the interval is over: at full speed that would be too late. */
const TRIM_AFTER = 5_000;
/** A read blocks for a second at most; a connection that is silent for longer is dead. */
const DEAD_CONNECTION_MS = 5_000;
/** How long a stop may take; what wasn't acknowledged by then is read again by the next archiver. */
const STOP_MS = 3_000;
/** Deletions reach back this many seqs further than the log, which may have been trimmed since. */
const LOG_SLACK = 20_000;

export type ArchiveTiming = {
  /** Workers that tail the streams may be this late. */
  keepMs: number;
  trimEveryMs: number;
};

/** Archives some shards over one connection, while this process holds the lease. See chat-archive.ts. */
export function startShardArchiver(deps: {
  redis: RedisConnection;
  shards: readonly number[];
  messages: ChatMessages;
  log: Log;
  timing: ArchiveTiming;
}) {
  const { redis, shards, messages, timing } = deps;
  const [first = 0] = shards;
  const log = deps.log.child({ shards: shards.length === 1 ? first : "all" });
  const lease = createLease(keys.archiveLease(first));
  const stopping = new AbortController();
  let streams: LiveStreams | null = null;
  let trimmedAt = 0;
  let sinceTrim = 0;
  let failures = 0;
  let isClosed = false;
  const batchSize = createBatchSize();

  function connected(): LiveStreams {
    if (isClosed) throw new Error("The archive has stopped.");
    if (streams) return streams;
    const reader = openBlockingReader(redis, keys.shardLive(first), { silentMs: DEAD_CONNECTION_MS });
    reader.on("error", (err) => log.debug({ err }, "the archive's connection failed"));
    streams = liveStreams(reader, shards);
    return streams;
  }

  /** In a cluster the shards may have moved to another node by now. */
  function disconnect(): void {
    streams?.redis.disconnect();
    streams = null;
  }

  function close(): void {
    isClosed = true;
    disconnect();
  }

  async function logStart(streamId: string) {
    const [oldest] = await connected().redis.xrange(keys.roomLog(streamId), "-", "+", "COUNT", 1);
    const { epoch, seq } = positionOfId(oldest?.[0]) ?? { epoch: 0, seq: 0 };
    return { epoch, seq: Math.max(0, seq - LOG_SLACK) };
  }

  /** An unreadable entry will not become readable: it is left out, and logged as an error. */
  async function changesIn(entry: Entry): Promise<ArchiveChange[]> {
    const { key, id } = entry;
    try {
      return await changesOf(entry, logStart, (redaction) =>
        log.error({ redaction, key, id }, "a redaction that can't be read was left out of the archive"),
      );
    } catch (err) {
      if (!(err instanceof SyntaxError || err instanceof TypeError)) throw err;
      log.error({ err, key, id }, "an entry that can't be read was left out of the archive");
      return [];
    }
  }

  async function archive(entries: Entry[]): Promise<void> {
    const changes: ArchiveChange[] = [];
    for (const entry of entries) changes.push(...(await changesIn(entry)));
    const startedAt = performance.now();
    try {
      for (const { change, err } of await messages.archive(changes, new Date(processClock.now()))) {
        log.error({ err, kind: change.kind }, "a change that can't be stored was left out of the archive");
      }
    } catch (err) {
      batchSize.failed({ entries: entries.length });
      throw err;
    }
    batchSize.written({ entries: entries.length, tookMs: performance.now() - startedAt });
    await connected().acknowledge(entries);
    sinceTrim += entries.length;
  }

  /** Archives until the lease is lost or the archive stops. */
  async function work(): Promise<void> {
    const { ensureGroups, read, trim, redis: reader } = connected();
    await ensureGroups();
    let unarchived: Entry[] = [];
    for (let from: "0" | ">" = "0"; !stopping.signal.aborted && (await lease.hold(reader)); ) {
      if (unarchived.length === 0) {
        unarchived = await read(from);
        // An empty answer to "0": nothing unacknowledged is left of earlier archivers.
        if (unarchived.length === 0) from = ">";
        // This process was paused for long: the present holder of the lease reads them again.
        if (!lease.isSure()) continue;
      }
      const batch = unarchived.slice(0, batchSize.now());
      if (batch.length > 0) await archive(batch);
      unarchived = unarchived.slice(batch.length);
      failures = 0;
      if (sinceTrim < TRIM_AFTER && performance.now() - trimmedAt < timing.trimEveryMs) continue;
      // Pending entries that aren't ours: another worker read them and died while this one started.
      if ((await trim(timing.keepMs)) > unarchived.length) from = "0";
      sinceTrim = 0;
      trimmedAt = performance.now();
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (await lease.hold(connected().redis)) await work();
        else await pause(STANDBY_MS);
      } catch (err) {
        if (stopping.signal.aborted) return;
        if (failures++ === 0) log.warn({ err }, "archiving chat failed; trying again");
        else log.debug({ err }, "archiving chat failed again");
        disconnect();
        await pause(RETRY_MS);
      }
    }
  }

  /** A stop ends it early, without an error. */
  async function pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  const running = run();
  return {
    /** Finishes the current batch first, unless MongoDB takes too long for it. */
    async stop(): Promise<void> {
      stopping.abort();
      let late: NodeJS.Timeout | undefined;
      const isLate = new Promise<void>((resolve) => {
        late = setTimeout(() => resolve(close()), STOP_MS);
      });
      await Promise.race([running, isLate]);
      try {
        if (streams && lease.isSure()) await lease.release(streams.redis);
      } catch (err) {
        log.debug({ err }, "the archive's lease was left to run out");
      }
      clearTimeout(late);
      close();
    },
  };
}
