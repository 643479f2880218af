import type { Db } from "mongodb";
import type { Log } from "../../../base/log.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { SHARDS } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { type ArchiveTiming, startShardArchiver } from "./shard-archiver.ts";

const TIMING: ArchiveTiming = { keepMs: 120_000, trimEveryMs: 10_000 };

/**
 * Copies chat messages from the shards' live streams to MongoDB.
 *
 * 1. One worker at a time holds the lease; the others stand by. The lease may change hands at any moment: every write is
 *    idempotent.
 * 2. First the entries that an earlier worker read and didn't acknowledge, then new ones, in the streams' order.
 * 3. One ordered bulk write, then XACK: an entry is acknowledged only once it is archived. Batches are as large as MongoDB
 *    manages in time: one that ran into the deadline is halved.
 * 4. The streams are trimmed up to min(acknowledged, now − 2 min): workers that tail them may be that late. A long stream
 *    is trimmed up to 3 s ago; a worker reads what it has missed then from the room's log.
 *
 * At a single server one archiver does all of it; in a cluster each shard has its own archiver, with its own connection and
 * lease.
 */
export async function startChatArchive(deps: {
  /** Only used to find the shards' nodes: the archive opens connections of its own. */
  redis: RedisConnection;
  /** Its connections may wait longer than those of requests: nobody waits for the archive. */
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
