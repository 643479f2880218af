import type { Redis } from "ioredis";
import type { Log } from "../../base/log.ts";
import { isIdBefore } from "../../base/room-position.ts";
import { keys } from "../../store/redis/keys.ts";
import { openBlockingReader, type RedisConnection } from "../../store/redis/nodes.ts";
import { type LiveEvent, liveEventIn, streamsIn } from "./event.ts";
import { lastGeneratedId } from "./stream-end.ts";

/**
 * One connection that reads live streams of shards.
 *
 * 1. A shard is read from an id that was resolved before its first room is loaded, never from `$` in a loop:
 *    entries between two reads would be lost.
 * 2. All of its shards are read in consecutive blocking reads; a new shard interrupts the current one (CLIENT UNBLOCK).
 * 3. A paced reader pauses after each read that returned something.
 * 4. A stream that lost its data may begin again below the cursor, when the server's clock is behind by then. This is
 *    checked periodically, since no read would ever return such entries.
 * 5. After that, after a lost connection, or when no read succeeded for longer than streams are kept, reading goes on where it
 *    can, and `onPossibleGap` makes the rooms compare their positions with the log.
 */
const BLOCK_MS = 1_000;
/** How much later than BLOCK_MS a reply may come on a busy machine. */
const SLACK_MS = 500;
/** A reply that is outstanding for this long means a dead connection. */
const STALLED_MS = 5_000;
const READ_AT_ONCE = 2_000;
/** Streams are trimmed after two minutes, long ones after three seconds; a later read may have missed something. */
const COMPLETE_WITHIN_MS = 2_500;
/** Just over the 10 ms for which events of hot rooms are batched, so that what was read can be sent at once. */
const PACED_MS = 11;
const REWIND_MS = 2_000;
const RETRY_MS = 100;
const MAX_RETRY_MS = 500;

export type TailHandlers = {
  /** All events of one read, in order per room. */
  onEvents(events: LiveEvent[]): void;
  /** Events may have been missed: compare positions with the log. */
  onPossibleGap(): void;
};

export function createShardReader(deps: {
  redis: RedisConnection;
  /** Any of its shards: the connection goes to the node that holds this shard's stream. */
  shard: number;
  log: Log;
  handlers: TailHandlers;
  isPaced: () => boolean;
}) {
  const { redis, log, handlers, isPaced } = deps;
  const cursors = new Map<number, string>();
  let reader: Redis | null = null;
  let readerId: number | null = null;
  let sinceRead = stopwatch();
  /** Since when a command waits for its reply; null while none is in flight. */
  let requestedAt: number | null = null;
  let wasConnected = false;
  let running: Promise<void> | null = null;
  let isClosed = false;
  let wakeUp: (() => void) | null = null;
  let failures = 0;

  const watchdog = setInterval(() => {
    if (unansweredMs() > STALLED_MS) {
      log.warn({ shard: deps.shard, lagMs: lagMs() }, "room log reader stalled; connecting anew");
      reader?.disconnect(true);
    }
  }, 1_000);
  watchdog.unref();

  const rewinding = setInterval(() => {
    rewind().then(
      (isBehind) => {
        if (isBehind && !isClosed) handlers.onPossibleGap();
      },
      (err: unknown) => log.debug({ err, shard: deps.shard }, "looking where live streams end failed"),
    );
  }, REWIND_MS);
  rewinding.unref();

  const unansweredMs = () => (requestedAt === null ? 0 : performance.now() - requestedAt);
  const lagMs = () => (cursors.size === 0 ? 0 : sinceRead());

  function connect(): Redis {
    const opened = openBlockingReader(redis, keys.shardLive(deps.shard));
    opened.on("error", (err) => log.debug({ err }, "room log reader's connection failed"));
    opened.on("close", () => {
      if (reader === opened) readerId = null;
    });
    return opened;
  }

  async function timed<T>(what: () => Promise<T>): Promise<T> {
    requestedAt = performance.now();
    try {
      return await what();
    } finally {
      requestedAt = null;
    }
  }

  /** Moves each cursor that is past the end of its stream back to that end. True when there was one. */
  async function rewind(): Promise<boolean> {
    // Cursors are taken first: a stream that lost nothing has an end that isn't before them.
    const checks = [...cursors].map(async ([shard, cursor]) => {
      const end = await lastGeneratedId(redis, shard);
      if (!isIdBefore(end, cursor) || cursors.get(shard) !== cursor) return false;
      cursors.set(shard, end);
      return true;
    });
    const isBehind = (await Promise.all(checks)).includes(true);
    if (isBehind) wake();
    return isBehind;
  }

  /**
   * A connection that is ready to read. After a reconnect, entries that weren't read may have been trimmed, and a new server may
   * have less data.
   */
  async function connected(): Promise<Redis> {
    reader ??= connect();
    const from = reader;
    if (readerId !== null) return from;
    readerId = Number(await timed(() => from.client("ID")));
    await rewind();
    if (wasConnected) {
      sinceRead = stopwatch();
      handlers.onPossibleGap();
    }
    wasConnected = true;
    return from;
  }

  /** Whether it returned anything. */
  async function readOnce(from: Redis): Promise<boolean> {
    const shards = [...cursors.keys()];
    const raw: unknown = await timed(() =>
      from.xreadBuffer(
        "COUNT",
        READ_AT_ONCE,
        "BLOCK",
        BLOCK_MS,
        "STREAMS",
        ...shards.map(keys.shardLive),
        ...shards.map((shard) => cursors.get(shard) ?? "0-0"),
      ),
    );
    if (sinceRead() > COMPLETE_WITHIN_MS) handlers.onPossibleGap();
    sinceRead = stopwatch();
    const streams = streamsIn(raw);
    if (streams.length === 0) return false;
    const events: LiveEvent[] = [];
    const shardOf = new Map(shards.map((shard) => [keys.shardLive(shard), shard]));
    for (const { key, entries } of streams) {
      const shard = shardOf.get(key);
      const last = entries.at(-1);
      // The last room of a shard may have left while the read was in flight.
      if (shard !== undefined && last && cursors.has(shard)) cursors.set(shard, last.id);
      for (const entry of entries) {
        const event = liveEventIn(entry);
        if (event) events.push(event);
      }
    }
    handlers.onEvents(events);
    return true;
  }

  async function run(): Promise<void> {
    while (!isClosed) {
      try {
        const from = await connected();
        if (cursors.size === 0) {
          await new Promise<void>((wake) => {
            wakeUp = wake;
          });
          continue;
        }
        const brought = await readOnce(from);
        failures = 0;
        if (brought && isPaced()) await pause(PACED_MS);
      } catch (err) {
        if (isClosed) return;
        const fields = { err, shard: deps.shard };
        if (failures++ === 0) log.warn(fields, "reading room logs failed; trying again");
        else log.debug(fields, "reading room logs failed again");
        // In a cluster the stream may have moved to another node.
        reader?.disconnect();
        reader = null;
        readerId = null;
        await pause(Math.min(RETRY_MS * failures, MAX_RETRY_MS));
      }
    }
  }

  function wake(): void {
    wakeUp?.();
    wakeUp = null;
    // Losing the race is harmless: the shard then joins with the next read, within BLOCK_MS.
    if (readerId === null || redis.isCluster) return;
    redis.client("UNBLOCK", readerId).catch((err: unknown) => log.debug({ err }, "waking the reader failed"));
  }

  return {
    has: (shard: number) => cursors.has(shard),
    /** Connects, so that it is ready when a shard is added. */
    open(): void {
      running ??= run();
    },
    /** False while it isn't connected, or waits for a reply for too long. */
    isAnswering: () => readerId !== null && unansweredMs() < BLOCK_MS + SLACK_MS,
    /** Reads the shard from after this entry on. */
    add(shard: number, cursor: string): void {
      if (cursors.size === 0) sinceRead = stopwatch();
      cursors.set(shard, cursor);
      running ??= run();
      wake();
    },
    /** Returns the shard's cursor. */
    remove(shard: number): string | undefined {
      const cursor = cursors.get(shard);
      cursors.delete(shard);
      return cursor;
    },
    /** ms since a read was last answered; 0 while there is nothing to read. */
    lagMs,
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(watchdog);
      clearInterval(rewinding);
      wake();
      reader?.disconnect();
      await running;
    },
  };
}

export type ShardReader = ReturnType<typeof createShardReader>;

function pause(ms: number): Promise<void> {
  return new Promise((done) => void setTimeout(done, ms));
}

/**
 * The time since, ms, by the clock that says more: the monotonic one stands still while a machine is suspended, and the wall clock
 * may be set back.
 */
function stopwatch(): () => number {
  const [wall, monotonic] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - monotonic);
}
