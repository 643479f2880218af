import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../../deploy/development/stores/ports.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { SOCKET_FOLDER_VARIABLE } from "../../deploy/processes/process/messages.ts";
import { specSocketFolder } from "../../specs/support/socket-folder.ts";
import { end, forkOn, messageFrom } from "../rooms/processes.ts";
import type { Stage } from "./stage.ts";

const BARE = new URL("./servers/bare.ts", import.meta.url);
const PROFILED_WITHIN_MS = 20_000;

export type ContenderName = "bare" | "ours";
export const TITLES: Record<ContenderName, string> = { bare: "bare Express 5", ours: "livecore" };
export type Served = { name: ContenderName; port: number; pid: number; close(): Promise<void> };

/** Both in one Redis: keys of the same rooms, which they don't use at the same time. */
export async function openBare(stage: Stage, redisUrl: string): Promise<Served> {
  const child = forkOn("servers", BARE, {
    env: { ...stage.env, MONGODB_DATABASE: stage.database, REDIS_URL: redisUrl },
  });
  const port = await messageFrom(child, (message) => Number(fieldOf(message, "port")) || null);
  return { name: "bare", port, pid: child.pid ?? 0, close: () => end(child) };
}

/** One api worker of the built service, which writes its log into a file as a service manager would have it. */
export async function openOurs(stage: Stage, redisUrl: string, profileTo: string | null): Promise<Served> {
  const sockets = specSocketFolder();
  const folder = mkdtempSync(join(tmpdir(), "livecore-bench-"));
  const log = openSync(join(folder, "log"), "w");
  const [port = 0, realtimePort, metricsPort] = await freePorts(3);
  const child = forkOn(
    "servers",
    join(projectRoot, process.env.BENCH_BUILD ?? "dist", "deploy/processes/workers/api.js"),
    {
      env: {
        ...stage.env,
        REDIS_URL: redisUrl,
        HOST: "127.0.0.1",
        FILES_DIR: folder,
        [SOCKET_FOLDER_VARIABLE]: sockets.path,
        PORT: String(port),
        REALTIME_PORT: String(realtimePort),
        METRICS_PORT: String(metricsPort),
      },
      nodeArgs: profileTo ? ["--cpu-prof", "--cpu-prof-dir", profileTo] : [],
      log,
    },
  );
  await messageFrom(child, (message) => {
    const state = fieldOf(message, "livecore");
    if (state === "failed") throw new Error(`the worker failed: ${JSON.stringify(message)}`);
    return state === "ready" ? true : null;
  });
  // As the primary says it once workers of every kind serve.
  child.send({ livecore: "absent", kinds: [] });
  return {
    name: "ours",
    port,
    pid: child.pid ?? 0,
    async close() {
      if (profileTo) {
        const gone = once(child, "exit", { signal: AbortSignal.timeout(PROFILED_WITHIN_MS) });
        child.send({ livecore: "drain" });
        await gone;
      }
      await end(child);
      sockets.remove();
      closeSync(log);
      rmSync(folder, { recursive: true });
    },
  };
}

function fieldOf(message: unknown, name: string): unknown {
  return typeof message === "object" && message !== null ? new Map(Object.entries(message)).get(name) : null;
}
