import type { Redis } from "ioredis";
import type { Db } from "mongodb";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import { type ArchiveChange, chatMessagesIn } from "../../store/mongo/chat-messages.ts";
import { keys, SHARDS } from "../../store/redis/keys.ts";
import { changesOf } from "./changes.ts";

/**
 * Copies what rooms said from the shards' live streams to MongoDB.
 *
 * 1. One worker at a time holds the lease; the others stand by. It may change hands at any moment: every write
 *    can be repeated.
 * 2. First what was read but not acknowledged by whoever came before, then what is new, in the streams' order.
 * 3. One ordered bulk write, then XACK: an entry is acknowledged only once it is archived.
 * 4. The streams are trimmed behind min(archived, now − 2 min): workers that tail them may be that late.
 */
const GROUP = "archive";
const CONSUMER = "archive";
const LEASE_MS = 10_000;
const BLOCK_MS = 1_000;
const BATCH = 500;
const KEEP_MS = 120_000;
const TRIM_EVERY_MS = 10_000;
const RETRY_MS = 500;
/** Deletions reach this much further back than the log, which may have been trimmed since. */
const LOG_SLACK = 20_000;

const SHARD_KEYS = Array.from({ length: SHARDS }, (_, shard) => keys.shardLive(shard));
const LEASE = keys.actorTurn("chat-archive");
const RENEW = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`;
const GIVE_UP = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`;

type Entry = { key: string; id: string; fields: string[] };

/** `redis` is a blocking connection of the archive's own, closed by whoever opened it. */
export async function startChatArchive({ redis, db, log }: { redis: Redis; db: Db; log: Log }) {
  const messages = chatMessagesIn(db);
  const me = newId();
  const archived = new Map<string, string>();
  const stopping = new AbortController();
  let trimmedAt = 0;

  async function holdLease(): Promise<boolean> {
    if ((await redis.set(LEASE, me, "PX", LEASE_MS, "NX")) === "OK") return true;
    return (await redis.eval(RENEW, 1, LEASE, me, LEASE_MS)) === 1;
  }

  async function ensureGroups(): Promise<void> {
    for (const key of SHARD_KEYS) {
      try {
        await redis.xgroup("CREATE", key, GROUP, "0", "MKSTREAM");
      } catch (err) {
        if (!(err instanceof Error && err.message.startsWith("BUSYGROUP"))) throw err;
      }
    }
  }

  async function read(from: "0" | ">"): Promise<Entry[]> {
    const raw: unknown = await redis.xreadgroup(
      "GROUP",
      GROUP,
      CONSUMER,
      "COUNT",
      BATCH,
      "BLOCK",
      BLOCK_MS,
      "STREAMS",
      ...SHARD_KEYS,
      ...SHARD_KEYS.map(() => from),
    );
    return entriesIn(raw);
  }

  async function logStart(streamId: string) {
    const [first] = await redis.xrange(keys.roomLog(streamId), "-", "+", "COUNT", 1);
    const [epoch = 0, seq = 0] = (first?.[0] ?? "0-0").split("-").map(Number);
    return { epoch, seq: Math.max(0, seq - LOG_SLACK) };
  }

  /** One that can't be read will not become readable: it is left out, loudly. */
  async function changesIn(entry: Entry): Promise<ArchiveChange[]> {
    const [name = "", event = "", , effects = null] = entry.fields;
    try {
      return await changesOf({ name, event, effects }, logStart);
    } catch (err) {
      if (!(err instanceof SyntaxError || err instanceof TypeError)) throw err;
      log.error(
        { err, key: entry.key, id: entry.id },
        "an entry that can't be read was left out of the archive",
      );
      return [];
    }
  }

  async function archive(entries: Entry[]): Promise<void> {
    const changes: ArchiveChange[] = [];
    for (const entry of entries) changes.push(...(await changesIn(entry)));
    await messages.archive(changes, new Date());
    const ids = new Map<string, string[]>();
    for (const { key, id } of entries) ids.set(key, [...(ids.get(key) ?? []), id]);
    for (const [key, acknowledged] of ids) {
      await redis.xack(key, GROUP, ...acknowledged);
      archived.set(key, acknowledged.at(-1) ?? "0-0");
    }
  }

  async function trim(): Promise<void> {
    const [seconds] = await redis.time();
    const keepFrom = Number(seconds) * 1_000 - KEEP_MS;
    for (const [key, id] of archived) {
      const [ms = 0] = id.split("-").map(Number);
      await redis.xtrim(key, "MINID", "~", ms < keepFrom ? id : `${keepFrom}-0`);
    }
    trimmedAt = Date.now();
  }

  /** Archives until the lease is lost or the archive stops. */
  async function work(): Promise<void> {
    await ensureGroups();
    for (let from: "0" | ">" = "0"; !stopping.signal.aborted && (await holdLease()); ) {
      const entries = await read(from);
      if (entries.length > 0) await archive(entries);
      // An answer to "0" that is empty: nothing is left of those before us.
      else from = ">";
      if (Date.now() - trimmedAt > TRIM_EVERY_MS) await trim();
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (await holdLease()) await work();
        else await pause(BLOCK_MS, stopping.signal);
      } catch (err) {
        if (stopping.signal.aborted) return;
        log.warn({ err }, "archiving chat failed; trying again");
        await pause(RETRY_MS, stopping.signal);
      }
    }
  }

  const running = run();
  return {
    /** What was read is finished first. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
      try {
        await redis.eval(GIVE_UP, 1, LEASE, me);
      } catch (err) {
        log.debug({ err }, "the archive's lease was left to run out");
      }
    },
  };
}

export type ChatArchive = Awaited<ReturnType<typeof startChatArchive>>;

function entriesIn(raw: unknown): Entry[] {
  if (!Array.isArray(raw)) return [];
  return raw.flatMap((stream: unknown) => {
    if (!Array.isArray(stream)) return [];
    const [key, entries]: unknown[] = stream;
    if (typeof key !== "string" || !Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown) => {
      if (!Array.isArray(entry)) return [];
      const [id, fields]: unknown[] = entry;
      if (typeof id !== "string") return [];
      // An entry that was trimmed before it was acknowledged has no fields any more.
      return [{ key, id, fields: Array.isArray(fields) ? fields.map(String) : [] }];
    });
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
}
