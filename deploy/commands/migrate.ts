import type { Config } from "../processes/config/config.ts";
import { commandLogger } from "../processes/process/logger.ts";
import { completeSchema } from "../processes/schema/complete-schema.ts";
import { runCommand } from "./command.ts";

const USAGE = `Usage: npm run migrate

Creates missing collections and indexes and runs pending migrations, as \`npm start\` does before it starts workers. For a
fleet, run it once with the new release before its hosts start. It may be stopped (Ctrl-C): the next run or start resumes it.`;

const orderOf = (args: string[]): object | null => (args.length === 0 ? {} : null);

async function run({ mongo }: Config): Promise<number> {
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopped.abort());
  const log = commandLogger("migrate", "warn");
  const { signal } = stopped;
  try {
    await completeSchema({ mongo, log, report: (line) => console.log(line), signal });
  } catch (err) {
    if (!signal.aborted) throw err;
    console.error("Stopped; the next run or start resumes it. MongoDB goes on with an index that it builds.");
    return 1;
  }
  console.log("The database's schema is complete.");
  return 0;
}

await runCommand({ usage: USAGE, orderOf }, run);
