import type { Redis } from "ioredis";
import type { Log } from "../../store/log.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys, shardOf } from "../../store/redis/keys.ts";
import { entriesIn } from "./log.ts";
import { readerLike } from "./pubsub.ts";
import type { Position } from "./types.ts";

/**
 * Follows the shards' live streams, for the rooms that this worker has somebody in.
 *
 * 1. A shard is read from an id resolved before its first room is looked at, never from `$` in a loop:
 *    what comes between two reads would be lost.
 * 2. One connection reads all shards in turn of blocks; a new shard wakes it (CLIENT UNBLOCK).
 * 3. After a lost connection, or when a read was away for longer than streams are kept, reading goes on where it
 *    can, and `onDoubt` tells the rooms to compare their positions with the log.
 */
const BLOCK_MS = 1_000;
/** A read that is late by this is on a dead connection. */
const STALLED_MS = 5_000;
const READ_AT_ONCE = 2_000;
/** Streams are trimmed behind two minutes; well before that a position is in doubt. */
const DOUBT_MS = 60_000;

export type LiveEvent = Position & {
  streamId: string;
  payload: Buffer;
  /** JSON of ArchiveEffect[], null for an event without. */
  effects: string | null;
};

export type TailHandlers = {
  /** All that one read brought, in order per room. */
  onEvents(events: LiveEvent[]): void;
  onDoubt(): void;
};

export function createTail(deps: { redis: Redis; log: Log; handlers: TailHandlers }) {
  const { redis, log, handlers } = deps;
  const reader = readerLike(redis);
  const cursors = new Map<number, string>();
  const rooms = new Map<number, number>();
  let readerId: number | null = null;
  let lastReadAt = Date.now();
  let running: Promise<void> | null = null;
  let isClosed = false;
  let wakeUp: (() => void) | null = null;

  reader.on("error", (err) => log.debug({ err }, "room log reader's connection failed"));
  reader.on("close", () => {
    readerId = null;
  });

  const watchdog = setInterval(() => {
    if (running && cursors.size > 0 && Date.now() - lastReadAt > STALLED_MS) {
      log.warn({ lagMs: Date.now() - lastReadAt }, "room log reader stalled; connecting anew");
      reader.disconnect(true);
    }
  }, 1_000);
  watchdog.unref();

  async function resolve(shard: number): Promise<string> {
    const newest = await onRedis(() => redis.xrevrange(keys.shardLive(shard), "+", "-", "COUNT", 1));
    return newest[0]?.[0] ?? "0-0";
  }

  /** A new server may have come back shorter, with ids below what was read; then begin at its end. */
  async function resume(): Promise<void> {
    readerId = Number(await reader.client("ID"));
    for (const [shard, cursor] of cursors) {
      const newest = await resolve(shard);
      if (isLess(newest, cursor)) cursors.set(shard, newest);
    }
    lastReadAt = Date.now();
    handlers.onDoubt();
  }

  async function readOnce(): Promise<void> {
    if (readerId === null) await resume();
    const shards = [...cursors.keys()];
    const raw: unknown = await reader.xreadBuffer(
      "COUNT",
      READ_AT_ONCE,
      "BLOCK",
      BLOCK_MS,
      "STREAMS",
      ...shards.map(keys.shardLive),
      ...shards.map((shard) => cursors.get(shard) ?? "0-0"),
    );
    if (Date.now() - lastReadAt > DOUBT_MS) handlers.onDoubt();
    lastReadAt = Date.now();
    if (!Array.isArray(raw)) return;
    const events: LiveEvent[] = [];
    const names = new Map(shards.map((shard) => [keys.shardLive(shard), shard]));
    for (const item of raw as unknown[]) {
      if (!Array.isArray(item)) throw new Error("Redis answered a stream of another form.");
      const shard = names.get(String(item[0]));
      const entries = entriesIn(item[1]);
      const last = entries.at(-1);
      // The last room of a shard may have left while the read was on its way.
      if (shard !== undefined && last && cursors.has(shard)) cursors.set(shard, last.id);
      for (const { fields } of entries) {
        const event = liveEventIn(fields);
        if (event) events.push(event);
      }
    }
    handlers.onEvents(events);
  }

  async function run(): Promise<void> {
    while (!isClosed) {
      if (cursors.size === 0) {
        await new Promise<void>((wake) => {
          wakeUp = wake;
        });
        lastReadAt = Date.now();
        continue;
      }
      try {
        await readOnce();
      } catch (err) {
        if (isClosed) return;
        log.warn({ err }, "reading room logs failed; trying again");
        readerId = null;
        await pause(100);
      }
    }
  }

  function wake(): void {
    wakeUp?.();
    wakeUp = null;
    // Losing the race is harmless: the shard then joins with the next read, within BLOCK_MS.
    if (readerId !== null) {
      redis
        .client("UNBLOCK", readerId)
        .catch((err: unknown) => log.debug({ err }, "waking the reader failed"));
    }
  }

  return {
    /** After it has resolved, every later event of the room will be handed over. Throws unavailable. */
    async watch(streamId: string): Promise<void> {
      const shard = shardOf(streamId);
      rooms.set(shard, (rooms.get(shard) ?? 0) + 1);
      if (cursors.has(shard)) return;
      try {
        const cursor = await resolve(shard);
        if (!cursors.has(shard)) cursors.set(shard, cursor);
      } catch (err) {
        rooms.set(shard, (rooms.get(shard) ?? 1) - 1);
        throw err;
      }
      running ??= run();
      wake();
    },
    unwatch(streamId: string): void {
      const shard = shardOf(streamId);
      const left = (rooms.get(shard) ?? 1) - 1;
      rooms.set(shard, left);
      if (left > 0) return;
      rooms.delete(shard);
      cursors.delete(shard);
    },
    /** ms since a read was last answered; 0 while there is nothing to read. */
    lagMs: () => (cursors.size === 0 ? 0 : Date.now() - lastReadAt),
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(watchdog);
      wake();
      reader.disconnect();
      await running;
    },
  };
}

export type Tail = ReturnType<typeof createTail>;

function liveEventIn([name, payload, , effects]: Buffer[]): LiveEvent | null {
  const [streamId, epoch, seq] = (name?.toString() ?? "").split(" ");
  if (!streamId || !epoch || !seq || !payload) return null;
  return {
    streamId,
    epoch: Number(epoch),
    seq: Number(seq),
    payload,
    effects: effects ? effects.toString() : null,
  };
}

function isLess(a: string, b: string): boolean {
  const [aMs = 0, aN = 0] = a.split("-").map(Number);
  const [bMs = 0, bN = 0] = b.split("-").map(Number);
  return aMs === bMs ? aN < bN : aMs < bMs;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => void setTimeout(done, ms));
}
