import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPasswords } from "../../actors/accounts/passwords/passwords.ts";
import type { Edge } from "../../actors/live/playback/edge-links.ts";
import { silentMeter } from "../../base/metrics.ts";
import { createCore } from "../../deploy/processes/workers/core.ts";
import { createFolderStore } from "../../store/files/folder.ts";
import { CHEAP_ESTIMATE, CHEAP_PASSWORDS } from "./cheap-passwords.ts";
import { quietLog } from "./quiet-log.ts";
import type { Stores } from "./stores.ts";

export const MASTER_KEY = "spec-master-key-".repeat(4);
const EDGE: Edge = { url: "https://edge.example/hls", signingKeys: ["spec-edge-key"], hasLowLatency: false };

/** This process's files, removed when it exits. */
const FILES = join(tmpdir(), `livecore-spec-files-${process.pid}`);
process.once("exit", () => rmSync(FILES, { recursive: true, force: true }));

type CoreDeps = Parameters<typeof createCore>[0];

/** The domain as every worker opens it, on these stores. The caller stops it, and starts it when users sign in. */
export const specCore = ({ mongo, redis }: Stores, more: Partial<CoreDeps> = {}) =>
  createCore({
    mongo,
    redis,
    log: quietLog(),
    meter: silentMeter(),
    audit: () => undefined,
    masterKey: MASTER_KEY,
    ingestUrl: "rtmp://ingest.example/live",
    passwords: createPasswords({ cost: CHEAP_PASSWORDS, estimate: CHEAP_ESTIMATE }),
    publicUrl: "https://livecore.example",
    edge: EDGE,
    files: createFolderStore(join(FILES, mongo.db.databaseName)),
    ...more,
  });
