import { Redis } from "ioredis";
import { freePort } from "../../deploy/development/stores/ports.ts";
import { findProgram, type Program } from "../../deploy/development/stores/programs.ts";
import { valkeyRecipe } from "../../deploy/installation/needed-stores.mjs";
import { homeFolder } from "../../deploy/processes/config/project.ts";
import { end, spawnOn } from "./processes.ts";

const READY_WITHIN_MS = 5_000;

export type OwnRedis = Awaited<ReturnType<typeof openRedis>>;

let program: Promise<Program> | null = null;

/** An empty Redis for one run, without persistence, beside the servers that use it. */
export async function openRedis() {
  program ??= findProgram(valkeyRecipe, {
    env: process.env,
    say: () => undefined,
    signal: new AbortController().signal,
    cache: `${homeFolder(process.env.LIVECORE_HOME || ".livecore")}/cache`,
    fits: () => null,
  });
  const { path } = await program;
  const port = await freePort();
  const server = spawnOn("servers", path, [
    ...["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
    ...["--maxmemory-policy", "noeviction"],
  ]);
  const url = `redis://127.0.0.1:${port}/0`;
  // Connecting is retried until it listens, and not for ever.
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: READY_WITHIN_MS / 20 });
  client.on("error", () => undefined); // the ping says it
  await client.ping();
  return {
    url,
    pid: server.pid ?? 0,
    client,
    /** How often a command was called since the server began. */
    async calls(command: string): Promise<number> {
      const stats = await client.info("commandstats");
      return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
    },
    async close(): Promise<void> {
      client.disconnect();
      await end(server);
    },
  };
}
