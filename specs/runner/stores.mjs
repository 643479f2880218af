// Stores for a run: those that the environment names, else throwaway ones of the project's own on free ports.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryFolder } from "./memory.mjs";

const TEMPORARY = /^t\d([0-9a-z]+)$/;

/**
 * Calls `use` with the variables that lead to the stores and stops what it started, whatever happens.
 * @param {(env: Record<string, string>) => Promise<void>} use
 * @param {AbortSignal} [signal] calls off a start that takes long
 * @param {{ lane?: number, inMemory?: boolean }} [options] each lane has stores of its own, with one cache of programs
 *   for all; `inMemory` where there is room, for who measures nothing: their commits cost less than on a disk
 */
export async function withStores(use, signal, { lane = 1, inMemory = false } = {}) {
  (await import("tsx/esm/api")).register();
  const { startDevelopmentServices } = await import("../../deploy/development/stores/development.ts");
  const { homeFolder } = await import("../../deploy/processes/config/project.ts");
  const home = homeFolder(process.env.LIVECORE_HOME || ".livecore");
  const memory = inMemory ? memoryFolder(home) : null;
  const stores = await startDevelopmentServices({
    home: laneFolder(home, memory ?? home, lane),
    env: process.env,
    say: (line) => console.log(line),
    ...(signal ? { signal } : {}),
    throwaway: true,
  });
  const temporary = memory === null ? null : temporaryFolder(memory, lane);
  try {
    await use({
      MONGODB_URL: stores.mongodbUrl,
      REDIS_URL: stores.redisUrl,
      NODE_ENV: "test",
      ...(temporary === null ? {} : { TMPDIR: temporary }),
    });
  } finally {
    await stores.stop();
    if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
  }
}

/** The folder in which specs start their own stores. Its name is short because of socket paths in it. */
function temporaryFolder(memory, lane) {
  for (const name of readdirSync(memory)) {
    const [, pid] = TEMPORARY.exec(name) ?? [];
    // Of a killed run.
    const isLeft = pid !== undefined && !existsSync(`/proc/${Number.parseInt(pid, 36)}`);
    if (isLeft) rmSync(join(memory, name), { recursive: true, force: true });
  }
  const folder = join(memory, `t${lane}${process.pid.toString(36)}`);
  mkdirSync(folder, { mode: 0o700 });
  // Keeps tsx's compile cache for the next run.
  const compiled = `tsx-${process.getuid()}`;
  mkdirSync(join(tmpdir(), compiled), { recursive: true });
  symlinkSync(join(tmpdir(), compiled), join(folder, compiled));
  return folder;
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
