import type { Log } from "../../../base/log.ts";
import { type DevelopmentServices, startDevelopmentServices } from "../../development/stores/development.ts";
import { watchDiskSpace } from "../../development/stores/disk-space.ts";
import type { Settings } from "../config/config.ts";
import type { Environment } from "../config/environment.ts";
import { SETTINGS } from "../config/settings.ts";
import type { Lifecycle } from "../process/lifecycle.ts";

/**
 * Lets a demo and a load test run from one address. Only for stores that we start, which hold nothing but a developer's
 * data:
 * stores that were given may hold real accounts, whose passwords nobody may guess a thousand times faster.
 */
const DEVELOPMENT_LIMIT_FACTOR = "1000";

/**
 * Starts the stores whose addresses weren't given, and returns the variables for workers. In production nothing is started:
 * `loadSettings` made sure that both addresses are given.
 */
export async function startOwnStores(options: {
  lifecycle: Lifecycle;
  settings: Pick<Settings, "home">;
  env: Environment;
  say: (line: string) => void;
  log: Log;
  signal: AbortSignal;
  /** Called as soon as they run. */
  started: (services: DevelopmentServices) => void;
  /** Only specs give it. */
  readFreeDisk?: (folder: string) => Promise<number>;
}): Promise<Record<string, string>> {
  const { lifecycle, settings, env, say, log, signal, started, readFreeDisk } = options;
  if (env.MONGODB_URL && env.REDIS_URL) return {};
  const services = await lifecycle.start(
    "development services",
    () => startDevelopmentServices({ home: settings.home, env, say, signal, supervisedBy: log }),
    (running) => running.stop(),
    { deadlineMs: 60_000 },
  );
  started(services);
  await lifecycle.start(
    "disk space",
    () => watchDiskSpace({ folder: settings.home, log, ...(readFreeDisk && { readFree: readFreeDisk }) }),
    (watching) => watching.stop(),
  );
  const factor =
    env.MONGODB_URL || env.REDIS_URL ? null : env[SETTINGS.rateLimitFactor.name] || DEVELOPMENT_LIMIT_FACTOR;
  return {
    MONGODB_URL: services.mongodbUrl,
    REDIS_URL: services.redisUrl,
    ...(factor === null ? {} : { [SETTINGS.rateLimitFactor.name]: factor }),
  };
}
