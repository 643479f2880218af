import { type Config, ConfigError, isProduction, loadConfig, loadSettings } from "./config/config.ts";
import { processEnvironment } from "./config/environment.ts";
import { homeFolder } from "./config/project.ts";
import { SETTINGS } from "./config/settings.ts";
import { developmentSecrets } from "./home/secrets.ts";
import { isClaimed } from "./primary/claim.ts";
import { StartError } from "./process/start-error.ts";
import { startDevelopmentServices } from "./services/development.ts";

/**
 * Runs a command of the operator's, such as `npm run staff`, with the configuration that the service has: in
 * development with the running service's stores, or with stores that are started for it and stopped after it.
 * Resolves with the exit code; failures to get that far are printed as a sentence.
 */
export async function runCommand(command: (config: Config) => Promise<number>): Promise<number> {
  try {
    return await withConfig(command);
  } catch (err) {
    if (!(err instanceof StartError || err instanceof ConfigError)) throw err;
    process.stderr.write(`${err.message}\n`);
    return 1;
  }
}

async function withConfig(command: (config: Config) => Promise<number>): Promise<number> {
  const given = processEnvironment();
  if (isProduction(given)) return command(loadConfig(given));

  const home = homeFolder(given[SETTINGS.home.name] || SETTINGS.home.fallback || "");
  const env = { ...given, ...developmentSecrets(home, given) };
  // Named, since with the stores' addresses it would count as production.
  const { env: NODE_ENV } = loadSettings(env);
  const borrowed = isClaimed(home);
  const services = await startDevelopmentServices({
    home,
    env,
    say: (line) => void (borrowed || process.stderr.write(`${line}\n`)),
    signal: new AbortController().signal,
  });
  try {
    return await command(
      loadConfig({ ...env, NODE_ENV, MONGODB_URL: services.mongodbUrl, REDIS_URL: services.redisUrl }),
    );
  } finally {
    if (!borrowed) await services.stop();
  }
}
