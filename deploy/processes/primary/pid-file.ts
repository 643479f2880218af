import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import type { Settings } from "../config/config.ts";
import { isMissing } from "../process/process-record.ts";
import { StartError } from "../process/start-error.ts";

export type PidFile = { path: string; remove(): void };

/**
 * Writes this process's id for whoever sends it signals: below npm, that isn't the process which was started. Throws a StartError when the
 * file that the configuration names can't be written; without a name it is left out then, as on a read-only disk.
 */
export function writePidFile(
  { home, pidFile }: Pick<Settings, "home" | "pidFile">,
  log: Log,
): PidFile | null {
  const path = pidFile ?? join(home, "livecore.pid");
  const draft = `${path}.${newId()}`;
  try {
    // Not for PID_FILE: below /proc, Node's recursive mkdir never returns.
    if (pidFile === null) mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${process.pid}\n`, { flag: "wx" });
    renameSync(draft, path);
  } catch (err) {
    rmSync(draft, { force: true });
    if (!(err instanceof Error)) throw err;
    if (pidFile !== null) {
      throw new StartError(`The pid file ${path} can't be written (${err.message}). Correct PID_FILE.`, {
        cause: err,
      });
    }
    log.warn({ path, reason: err.message }, "pid file not written");
    return null;
  }
  return { path, remove: () => removeOwn(path) };
}

/** Another service may have taken its place. */
function removeOwn(path: string): void {
  try {
    if (readFileSync(path, "utf8").trim() === String(process.pid)) rmSync(path, { force: true });
  } catch (err) {
    if (!isMissing(err)) throw err;
  }
}
