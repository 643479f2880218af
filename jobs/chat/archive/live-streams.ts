import type { Redis } from "ioredis";
import { isIdBefore } from "../../../base/room-position.ts";
import { type StreamEntry, streamsIn } from "../../../realtime/rooms/event.ts";
import { keys } from "../../../store/redis/keys.ts";

const GROUP = "archive";
const CONSUMER = "archive";
const BLOCK_MS = 1_000;
/** Entries read at once per shard: with 16 shards and messages of 500 characters at most about 20 MB. */
const READ_COUNT = 500;
/** Above this length archived entries are trimmed early: chat is refused at the bound that admission knows. */
const LONG_STREAM = 20_000;
const KEEP_LONG_MS = 3_000;

/** Has no fields if it was trimmed before it was acknowledged. */
export type Entry = StreamEntry & { key: string };

export type LiveStreams = ReturnType<typeof liveStreams>;

/**
 * The live streams of some shards, as the archive's consumer group reads them. In a cluster they are all on the server that
 * `redis` is connected to. All workers share one consumer, so that the next one finds what the one before had read.
 */
export function liveStreams(redis: Redis, shards: readonly number[]) {
  const streams = shards.map(keys.shardLive);

  return {
    redis,
    /** Creates the groups at the beginning of the streams; an emptied Redis has none any more. */
    async ensureGroups(): Promise<void> {
      for (const key of streams) {
        try {
          await redis.xgroup("CREATE", key, GROUP, "0", "MKSTREAM");
        } catch (err) {
          if (!(err instanceof Error && err.message.startsWith("BUSYGROUP"))) throw err;
        }
      }
    },
    /** "0": entries that were read and not acknowledged, at once. ">": new ones, within a second. Oldest first, per stream. */
    async read(from: "0" | ">"): Promise<Entry[]> {
      const raw: unknown = await redis.xreadgroupBuffer(
        "GROUP",
        GROUP,
        CONSUMER,
        "COUNT",
        READ_COUNT,
        "BLOCK",
        BLOCK_MS,
        "STREAMS",
        ...streams,
        ...streams.map(() => from),
      );
      return streamsIn(raw).flatMap(({ key, entries }) => entries.map((entry) => ({ key, ...entry })));
    },
    async acknowledge(entries: readonly Entry[]): Promise<void> {
      const ids = new Map<string, string[]>();
      for (const { key, id } of entries) ids.set(key, [...(ids.get(key) ?? []), id]);
      for (const [key, acknowledged] of ids) await redis.xack(key, GROUP, ...acknowledged);
    },
    /**
     * Drops entries that are archived, as the group itself knows it, and older than `keepMs`. Resolves to the number of
     * entries that were read by somebody and not acknowledged.
     */
    async trim(keepMs: number): Promise<number> {
      const [seconds] = await redis.time();
      let left = 0;
      for (const key of streams) {
        const length = await redis.xlen(key);
        if (length === 0) continue;
        const { pending, firstOpen } = await progress(key);
        left += pending;
        const keptMs = length > LONG_STREAM ? Math.min(keepMs, KEEP_LONG_MS) : keepMs;
        const keepFrom = `${Number(seconds) * 1_000 - keptMs}-0`;
        await redis.xtrim(key, "MINID", "~", isIdBefore(firstOpen, keepFrom) ? firstOpen : keepFrom);
      }
      return left;
    },
  };

  /**
   * `firstOpen`: everything before it was acknowledged. The group's last read position is fetched first: entries that
   * another worker reads between the two calls come after it.
   */
  async function progress(key: string): Promise<{ pending: number; firstOpen: string }> {
    const readUpTo = lastDelivered(await redis.xinfo("GROUPS", key));
    const [pending, first]: unknown[] = await redis.xpending(key, GROUP);
    if (typeof pending !== "number" || pending === 0) return { pending: 0, firstOpen: readUpTo };
    return { pending, firstOpen: isIdBefore(String(first), readUpTo) ? String(first) : readUpTo };
  }
}

/** "0-0" if the group doesn't exist. */
function lastDelivered(groups: unknown): string {
  if (!Array.isArray(groups)) return "0-0";
  for (const group of groups as unknown[]) {
    if (!Array.isArray(group)) continue;
    const field = (name: string): unknown => group[group.indexOf(name) + 1];
    if (field("name") === GROUP) return String(field("last-delivered-id"));
  }
  return "0-0";
}
