import { processClock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { Position } from "../../base/room-position.ts";
import { rateLimited } from "../../contract/errors.ts";
import type { ChatMessage } from "../../contract/wire.ts";
import type { Rooms } from "../../realtime/rooms/rooms.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

/** Maximum of waiting requests: of one token and of one account, by all its tokens, over all workers; and of this process. */
const MAX_PER_TOKEN = 2;
const MAX_PER_ACCOUNT = 10;
const MAX_PER_PROCESS = 2_000;
/** Longer than any wait: after this the waits of a dead process expire. */
const POLL_EXPIRY_MS = 30_000;

/** Waits for new events of a room. */
export type RoomWaits = {
  /** True when there may be something after that position; false when nothing came for `ms`, or `signal` ended the wait. */
  next(streamId: string, wait: { after: Position; ms: number; signal: AbortSignal }): Promise<boolean>;
};

type LongPoll = {
  streamId: string;
  userId: string;
  tokenId: string;
  /** Null: from now on. */
  after: Position | null;
  limit: number;
  waitMs: number;
  signal: AbortSignal;
};

type Page = { messages: ChatMessage[]; cursor: Position };

/**
 * Reads a room along a cursor. Everything comes from the room's log, and the archive for what is older, so that neither a
 * worker's death nor a new epoch loses or repeats a message; only the waiting is done elsewhere.
 */
export function createBotLongPolls(deps: {
  rooms: Pick<Rooms, "readAfter" | "position">;
  roomWaits: RoomWaits;
  redis: RedisConnection;
}) {
  const { rooms, roomWaits, redis } = deps;
  let waiting = 0;

  async function read(streamId: string, after: Position, limit: number): Promise<Page> {
    const { messages, reached } = await rooms.readAfter(streamId, after, limit);
    return { messages, cursor: reached };
  }

  /**
   * For when nothing follows a cursor that isn't the room's head: it was lost or made up, its epoch is over, or its part of
   * the log is gone.
   */
  async function readOn(streamId: string, { cursor }: Page, limit: number): Promise<Page> {
    const head = await rooms.position(streamId);
    if (cursor.epoch === head.epoch && cursor.seq === head.seq) return { messages: [], cursor };
    // Reads again: what came between the two reads belongs before the head.
    const again = await read(streamId, cursor, limit);
    if (again.messages.length > 0) return again;
    // The head as the cursor, since a wait from any earlier position would end at once.
    if (cursor.epoch === head.epoch) return { messages: [], cursor: head };
    return read(streamId, { epoch: head.epoch, seq: 0 }, limit);
  }

  async function next(streamId: string, after: Position, limit: number): Promise<Page> {
    const page = await read(streamId, after, limit);
    return page.messages.length > 0 ? page : readOn(streamId, page, limit);
  }

  /** The waiting requests of a token or an account, with that one. */
  async function countWith(id: string, holder: string): Promise<number> {
    const key = keys.longPollsOf(holder);
    const now = processClock.now();
    await redis.zremrangebyscore(key, "-inf", now);
    await redis.zadd(key, now + POLL_EXPIRY_MS, id);
    await redis.pexpire(key, POLL_EXPIRY_MS);
    return redis.zcard(key);
  }

  /** Throws rate_limited. */
  async function begin({
    tokenId,
    userId,
  }: Pick<LongPoll, "tokenId" | "userId">): Promise<() => Promise<void>> {
    const id = newId();
    const holders = [
      [tokenId, MAX_PER_TOKEN],
      [userId, MAX_PER_ACCOUNT],
    ] as const;
    const refuse = (limit: number) => rateLimited({ bucket: "bot_polls", limit, windowSeconds: 25 }, 1_000);
    if (waiting >= MAX_PER_PROCESS) throw refuse(MAX_PER_PROCESS);
    waiting++;
    const end = async () => {
      waiting--;
      await onRedis(() => Promise.all(holders.map(([holder]) => redis.zrem(keys.longPollsOf(holder), id))));
    };
    try {
      const counts = await onRedis(() => Promise.all(holders.map(([holder]) => countWith(id, holder))));
      for (const [i, [, most]] of holders.entries()) if ((counts[i] ?? 0) > most) throw refuse(most);
      return end;
    } catch (err) {
      await end().catch(() => undefined);
      throw err;
    }
  }

  return {
    /** Throws rate_limited, unavailable. */
    async poll({ streamId, after, limit, waitMs, signal, ...by }: LongPoll): Promise<Page> {
      const until = performance.now() + waitMs;
      let page: Page =
        after === null
          ? { messages: [], cursor: await rooms.position(streamId) }
          : await next(streamId, after, limit);
      if (page.messages.length > 0 || waitMs === 0) return page;
      const end = await begin(by);
      try {
        while (page.messages.length === 0 && !signal.aborted) {
          const ms = until - performance.now();
          if (ms <= 0 || !(await roomWaits.next(streamId, { after: page.cursor, ms, signal }))) break;
          page = await next(streamId, page.cursor, limit);
        }
        return page;
      } finally {
        // If this fails, the wait expires in half a minute.
        await end().catch(() => undefined);
      }
    },
  };
}
