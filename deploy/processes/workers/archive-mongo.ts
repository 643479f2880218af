import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import type { WorkerParts } from "./worker.ts";

/** Socket timeout, below the archive's lease of 10 s: a write has failed before a second worker can begin to write the same. */
const TIMEOUT_MS = 8_000;
/** On a cluster each shard is archived separately. */
const MAX_CONNECTIONS = 16;

/**
 * Connects the archive of chat to MongoDB. No request waits for the archive, so it gives a slow server more time than
 * requests do.
 */
export function openArchiveMongo({
  config,
  lifecycle,
}: Pick<WorkerParts, "config" | "lifecycle">): Promise<Mongo> {
  return lifecycle.start(
    "the archive's mongo",
    () =>
      connectMongo({
        url: config.mongo.url,
        database: config.mongo.database,
        selectionTimeoutMs: 3_000,
        maxPoolSize: MAX_CONNECTIONS,
        socketTimeoutMs: TIMEOUT_MS,
        retryWrites: false,
      }),
    (connected) => connected.close(),
  );
}
