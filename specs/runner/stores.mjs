// Stores for a run: those that the environment names, else throwaway ones of the project's own on free ports.

/**
 * Calls `use` with the variables that lead to the stores and stops what it started, whatever happens.
 * @param {(env: Record<string, string>) => Promise<void>} use
 * @param {AbortSignal} [signal] calls off a start that takes long
 */
export async function withStores(use, signal) {
  (await import("tsx/esm/api")).register();
  const { startDevelopmentServices } = await import("../../deploy/services/development.ts");
  const { homeFolder } = await import("../../deploy/config/project.ts");
  const stores = await startDevelopmentServices({
    home: homeFolder(process.env.LIVECORE_HOME || ".livecore"),
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
