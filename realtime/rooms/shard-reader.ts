import type { Redis } from "ioredis";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import { type RedisConnection, readerOf } from "../../store/redis/nodes.ts";
import { isIdBefore } from "../../store/room-position.ts";
import { type LiveEvent, liveEventIn, streamsIn } from "./event.ts";
import { endOf } from "./stream-end.ts";

/**
 * One connection that reads live streams of shards.
 *
 * 1. A shard is read from an id resolved before its first room is looked at, never from `$` in a loop:
 *    what comes between two reads would be lost.
 * 2. All of its shards are read in turn of blocks; a new shard wakes it (CLIENT UNBLOCK).
 * 3. A paced reader lets an interval go by between two reads that bring something.
 * 4. A stream that lost its data may begin again below what was read, when the server's clock is behind by then: that is
 *    looked for now and then, since no read would ever find it.
 * 5. After that, after a lost connection, or when a read was away for longer than streams are kept, reading goes on where it
 *    can, and `onPossibleGap` has the rooms compare their positions with the log.
 */
const BLOCK_MS = 1_000;
/** By so much later than that an answer may be on a busy machine. */
const SLACK_MS = 500;
/** A read that is late by this is on a dead connection. */
const STALLED_MS = 5_000;
const READ_AT_ONCE = 2_000;
/** Streams are trimmed behind two minutes, long ones behind three seconds; before that it may lack something. */
const COMPLETE_WITHIN_MS = 2_500;
/** Just over the 10 ms for which hot rooms are gathered, so that what was read can be sent at once. */
const PACED_MS = 11;
const REWIND_MS = 2_000;
const RETRY_MS = 100;
const MAX_RETRY_MS = 500;

export type TailHandlers = {
  /** All that one read brought, in order per room. */
  onEvents(events: LiveEvent[]): void;
  /** Events may have been missed: positions are to be compared with the log. */
  onPossibleGap(): void;
};

export function createShardReader(deps: {
  redis: RedisConnection;
  /** Any of its shards: its connection goes to the node that holds its stream. */
  shard: number;
  log: Log;
  handlers: TailHandlers;
  isPaced: () => boolean;
}) {
  const { redis, log, handlers, isPaced } = deps;
  const cursors = new Map<number, string>();
  let reader: Redis | null = null;
  let readerId: number | null = null;
  let lastReadAt = Date.now();
  /** Since when an answer is owed; null while no command is under way. */
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

  const unansweredMs = () => (requestedAt === null ? 0 : Date.now() - requestedAt);
  const lagMs = () => (cursors.size === 0 ? 0 : Date.now() - lastReadAt);

  function connect(): Redis {
    const opened = readerOf(redis, keys.shardLive(deps.shard));
    opened.on("error", (err) => log.debug({ err }, "room log reader's connection failed"));
    opened.on("close", () => {
      if (reader === opened) readerId = null;
    });
    return opened;
  }

  async function timed<T>(what: () => Promise<T>): Promise<T> {
    requestedAt = Date.now();
    try {
      return await what();
    } finally {
      requestedAt = null;
    }
  }

  /** Goes back to the end of streams that end before what was read of them. True when there was one. */
  async function rewind(): Promise<boolean> {
    // How far each was read is taken first: an end that is read later lies behind that.
    const looks = [...cursors].map(async ([shard, cursor]) => {
      const end = await endOf(redis, shard);
      if (!isIdBefore(end, cursor) || cursors.get(shard) !== cursor) return false;
      cursors.set(shard, end);
      return true;
    });
    const isBehind = (await Promise.all(looks)).includes(true);
    if (isBehind) wake();
    return isBehind;
  }

  /**
   * A connection that can be read from. What a lost one left unread may have been trimmed since, and a new server may
   * have come back shorter.
   */
  async function connected(): Promise<Redis> {
    reader ??= connect();
    const from = reader;
    if (readerId !== null) return from;
    readerId = Number(await timed(() => from.client("ID")));
    await rewind();
    if (wasConnected) {
      lastReadAt = Date.now();
      handlers.onPossibleGap();
    }
    wasConnected = true;
    return from;
  }

  /** Whether it brought something. */
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
    if (Date.now() - lastReadAt > COMPLETE_WITHIN_MS) handlers.onPossibleGap();
    lastReadAt = Date.now();
    const streams = streamsIn(raw);
    if (streams.length === 0) return false;
    const events: LiveEvent[] = [];
    const shardOf = new Map(shards.map((shard) => [keys.shardLive(shard), shard]));
    for (const { key, entries } of streams) {
      const shard = shardOf.get(key);
      const last = entries.at(-1);
      // The last room of a shard may have left while the read was on its way.
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
        const said = { err, shard: deps.shard };
        if (failures++ === 0) log.warn(said, "reading room logs failed; trying again");
        else log.debug(said, "reading room logs failed again");
        // In a cluster the stream may have another node by now.
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
    /** False while it isn't connected, or owes an answer for longer than it takes. */
    isAnswering: () => readerId !== null && unansweredMs() < BLOCK_MS + SLACK_MS,
    /** Reads the shard from behind this entry on. */
    add(shard: number, cursor: string): void {
      if (cursors.size === 0) lastReadAt = Date.now();
      cursors.set(shard, cursor);
      running ??= run();
      wake();
    },
    /** Returns how far it was read. */
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
