// Stores for a run: those that the environment names, else throwaway ones of the project's own on free ports.
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { memoryFolder } from "./memory.mjs";

/**
 * Calls `use` with the variables that lead to the stores and stops what it started, whatever happens.
 * @param {(env: Record<string, string>) => Promise<void>} use
 * @param {AbortSignal} [signal] calls off a start that takes long
 * @param {{ lane?: number, inMemory?: boolean }} [options] each lane has stores of its own, with one cache of programs
 *   for all; `inMemory` where there is room, for who measures nothing: their commits cost less than on a disk
 */
export async function withStores(use, signal, { lane = 1, inMemory = false } = {}) {
  (await import("tsx/esm/api")).register();
  const { startDevelopmentServices } = await import("../../deploy/services/development.ts");
  const { homeFolder } = await import("../../deploy/config/project.ts");
  const home = homeFolder(process.env.LIVECORE_HOME || ".livecore");
  const stores = await startDevelopmentServices({
    home: laneFolder(home, (inMemory ? memoryFolder(home) : null) ?? home, lane),
    env: process.env,
    say: (line) => console.log(line),
    ...(signal ? { signal } : {}),
    throwaway: true,
  });
  try {
    await use({ MONGODB_URL: stores.mongodbUrl, REDIS_URL: stores.redisUrl, NODE_ENV: "test" });
  } finally {
    await stores.stop();
  }
}

function laneFolder(home, place, lane) {
  if (place === home && lane === 1) return home;
  const folder = join(place, `lane-${lane}`);
  const cache = join(folder, "cache");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mkdirSync(join(home, "cache"), { recursive: true });
  if (!existsSync(cache)) {
    rmSync(cache, { force: true });
    symlinkSync(join(home, "cache"), cache);
  }
  return folder;
}
