/** A process that archives chat from one Redis to one MongoDB, and reports when it has started. */
import { startChatArchive } from "../../../jobs/chat/archive/chat-archive.ts";
import { connectMongo } from "../../../store/mongo/driver/connect.ts";
import { openRedis } from "../../../store/redis/open.ts";
import { hasFields, inputFromParent, sendToParent } from "../../stress/parent.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";

export type ArchiveInput = { mongodbUrl: string; database: string; redisUrl: string };

const input = inputFromParent((value): value is ArchiveInput =>
  hasFields(value, "mongodbUrl", "database", "redisUrl"),
);
// A store may be away right now: in a service the supervisor would restart the worker.
const withinMs = 120_000;
const mongo = await eventually(
  () =>
    connectMongo({
      url: input.mongodbUrl,
      database: input.database,
      selectionTimeoutMs: 1_000,
      maxPoolSize: 20,
    }),
  { withinMs },
);
const redis = await eventually(
  () => openRedis({ url: input.redisUrl, deadlineMs: 150, onError: () => undefined }),
  { withinMs },
);
await startChatArchive({
  redis,
  archiveDb: mongo.db,
  log: quietLog(),
  // Archived entries are trimmed at once: if more than those were trimmed, they would be lost for good.
  timing: { keepMs: 0, trimEveryMs: 100 },
});
sendToParent({ ready: true });
