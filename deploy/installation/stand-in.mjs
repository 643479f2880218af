// Runs another program in place of this process; from outside they look like one.
import { spawn } from "node:child_process";
import { ENDS_WITH_PARENT_VARIABLE } from "../processes/process/parent-watch.mjs";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"];

/**
 * Runs `command` in place of this process and never resolves: this process ends when `command` has, with its exit code or signal.
 * Signals are forwarded, each once; a terminal's Ctrl-C thus reaches `command` twice in the same moment, as it does below npm.
 * When this process is killed, `command` notices that its parent is gone, and ends.
 */
export async function standIn(command, args) {
  // Handlers that were registered before must not run any more.
  for (const signal of FORWARDED) process.removeAllListeners(signal);
  const env = { ...process.env, [ENDS_WITH_PARENT_VARIABLE]: "yes" };
  const child = spawn(command, args, { stdio: "inherit", env });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));

  const { code, signal } = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The signal takes effect a moment later; the caller must not continue in between.
  await new Promise(() => setTimeout(() => process.exit(1), 5_000));
}
