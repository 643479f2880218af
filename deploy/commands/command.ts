import { developmentSecrets } from "../development/home/secrets.ts";
import { startDevelopmentServices } from "../development/stores/development.ts";
import {
  type Config,
  ConfigError,
  isProduction,
  loadConfig,
  loadSettings,
} from "../processes/config/config.ts";
import { processEnvironment } from "../processes/config/environment.ts";
import { homeFolder } from "../processes/config/project.ts";
import { SETTINGS } from "../processes/config/settings.ts";
import { isClaimed } from "../processes/primary/claim.ts";
import { StartError } from "../processes/process/start-error.ts";
import { asksForHelp } from "./help.ts";

/**
 * The main function of an operator's command, such as `npm run staff`. It runs with the configuration of the service. In
 * development it uses the stores of the running service, or starts stores and stops them afterwards. `orderOf` returns null
 * for invalid arguments: `usage` is printed then, as with --help. Sets the exit code: 2 for invalid arguments, 1 for a StartError or
 * ConfigError, whose message is printed.
 */
export async function runCommand<Order>(
  { usage, orderOf }: { usage: string; orderOf: (args: string[]) => Order | null },
  run: (config: Config, order: Order) => Promise<number>,
): Promise<void> {
  const args = process.argv.slice(2);
  if (asksForHelp(args)) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const order = orderOf(args);
  if (order === null) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = 2;
    return;
  }
  try {
    process.exitCode = await withConfig((config) => run(config, order));
  } catch (err) {
    if (!(err instanceof StartError || err instanceof ConfigError)) throw err;
    process.stderr.write(`${err.message}\n`);
    process.exitCode = 1;
  }
}

async function withConfig(command: (config: Config) => Promise<number>): Promise<number> {
  const given = processEnvironment();
  if (isProduction(given)) return command(loadConfig(given));

  const home = homeFolder(given[SETTINGS.home.name] || SETTINGS.home.fallback || "");
  const env = { ...given, ...developmentSecrets(home, given) };
  // Set explicitly: with the stores' addresses in the environment, NODE_ENV would default to production.
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
