// Stores for a run: those that the environment names, else throwaway ones of the project's own on free ports.
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/**
 * Calls `use` with the variables that lead to the stores and stops what it started, whatever happens.
 * @param {(env: Record<string, string>) => Promise<void>} use
 * @param {AbortSignal} [signal] calls off a start that takes long
 * @param {number} [lane] each has stores of its own, with one cache of programs for all
 */
export async function withStores(use, signal, lane = 1) {
  (await import("tsx/esm/api")).register();
  const { startDevelopmentServices } = await import("../../deploy/services/development.ts");
  const { homeFolder } = await import("../../deploy/config/project.ts");
  const home = homeFolder(process.env.LIVECORE_HOME || ".livecore");
  const stores = await startDevelopmentServices({
    home: lane === 1 ? home : laneFolder(home, lane),
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

function laneFolder(home, lane) {
  const folder = join(home, `lane-${lane}`);
  const cache = join(folder, "cache");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mkdirSync(join(home, "cache"), { recursive: true });
  if (!existsSync(cache)) symlinkSync(join(home, "cache"), cache);
  return folder;
}
