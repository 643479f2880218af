import type { Db } from "mongodb";
import type { Log } from "../../store/log.ts";
import { chatMessagesIn } from "../../store/mongo/chat-messages.ts";
import { SHARDS } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { type ArchiveTiming, startShardArchiver } from "./shard-archiver.ts";

const TIMING: ArchiveTiming = { keepMs: 120_000, trimEveryMs: 10_000 };

/**
 * Copies what rooms said from the shards' live streams to MongoDB.
 *
 * 1. One worker at a time holds the lease; the others stand by. It may change hands at any moment: every write
 *    can be repeated.
 * 2. First what an earlier worker read and didn't acknowledge, then what is new, in the streams' order.
 * 3. One ordered bulk write, then XACK: an entry is acknowledged only once it is archived. Batches are as large as
 *    MongoDB manages in time: one that ran into the deadline is halved.
 * 4. The streams are trimmed behind min(acknowledged, now − 2 min): workers that tail them may be that late. A long
 *    one is trimmed behind 3 s; what a worker has missed then, it reads from the room's log.
 *
 * One archiver does all of it at a single server; in a cluster each shard has one, with its own connection and lease.
 */
export async function startChatArchive(deps: {
  /** Only looked at for where the shards are: the archive opens connections of its own. */
  redis: RedisConnection;
  /** By connections that may wait longer than requests do: nobody waits for the archive. */
  archiveDb: Db;
  log: Log;
  timing?: ArchiveTiming;
}) {
  const { redis, log, timing = TIMING } = deps;
  const messages = chatMessagesIn(deps.archiveDb);
  const all = Array.from({ length: SHARDS }, (_, shard) => shard);
  const groups = redis.isCluster ? all.map((shard) => [shard]) : [all];
  const archivers = groups.map((shards) => startShardArchiver({ redis, shards, messages, log, timing }));
  return {
    stop: async (): Promise<void> => void (await Promise.all(archivers.map((archiver) => archiver.stop()))),
  };
}
