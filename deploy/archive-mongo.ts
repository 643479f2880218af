import { connectMongo, type Mongo } from "../store/mongo/connect.ts";
import type { WorkerParts } from "./worker.ts";

/** Below the archive's lease of 10 s, so that no second worker begins to write the same. */
const PATIENCE_MS = 8_000;
/** On a cluster each shard is archived by itself. */
const MAX_CONNECTIONS = 16;

/** Connects the archive of chat to MongoDB: nobody waits for it, so a slow server may take longer for it than for requests. */
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
        ...{ selectionTimeoutMs: 3_000, maxPoolSize: MAX_CONNECTIONS, socketTimeoutMs: PATIENCE_MS },
        retryWrites: false,
      }),
    (connected) => connected.close(),
  );
}
