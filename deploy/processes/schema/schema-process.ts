import type { Log } from "../../../base/log.ts";
import { type Config, loadSchemaConfig } from "../config/config.ts";
import { processEnvironment } from "../config/environment.ts";
import { exitAfterLastLines, leaveSignalsToPrimary, tellPrimary } from "../process/child-of-primary.ts";
import { createLogger, processLogger } from "../process/logger.ts";
import { type FromSchema, fromPrimary } from "../process/messages.ts";
import { redactText } from "../process/redaction.ts";
import { StartError } from "../process/start-error.ts";

const tell = tellPrimary<FromSchema>;
const STOPS_WITHIN_MS = 5_000;

type Parts = { config: Pick<Config, "mongo">; log: Log; report: (line: string) => void; signal: AbortSignal };

/**
 * Runs this process as the one that completes the database's schema for the primary, and ends with exit code 0 when it is
 * complete. It stops when the primary says so or is gone, and ignores signals, which the primary handles.
 */
export function runSchemaProcess(complete: (parts: Parts) => Promise<void>): void {
  process.title = "livecore schema";
  leaveSignalsToPrimary();
  if (!process.send)
    throw new Error("The schema process is started by livecore's primary: run `npm run migrate`.");
  const stopped = new AbortController();
  const stop = () => {
    stopped.abort();
    setTimeout(() => process.exit(1), STOPS_WITHIN_MS).unref();
  };
  process.on("disconnect", stop);
  process.on("message", (raw: unknown) => {
    if (fromPrimary(raw)?.livecore === "drain") stop();
  });
  void run(complete, stopped.signal);
}

async function run(complete: (parts: Parts) => Promise<void>, signal: AbortSignal): Promise<void> {
  let log: Log = createLogger({ level: "info", process: "schema", readable: false });
  try {
    const config = loadSchemaConfig(processEnvironment());
    log = processLogger(config, "schema");
    await complete({ config, log, report: (line) => tell({ livecore: "progress", line }), signal });
    await exitAfterLastLines(0);
  } catch (err) {
    if (signal.aborted) log.info("schema step interrupted: the next start resumes it");
    else if (!(err instanceof StartError)) log.error({ err }, "schema step failed");
    const reason = redactText(err instanceof Error ? err.message : String(err));
    tell({ livecore: "failed", reason }, () => void exitAfterLastLines(1));
  }
}
