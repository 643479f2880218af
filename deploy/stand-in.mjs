// Runs another program in place of this process; from outside they look like one.
import { spawn } from "node:child_process";
import { watchParent } from "./process/parent-watch.mjs";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"];

/**
 * Runs `command` in place of this process and never resolves: this process ends when `command` has, with its exit code or signal.
 * Signals are forwarded, each once; a terminal's Ctrl-C thus reaches `command` twice in the same moment, as it does below npm.
 * When npm ends without forwarding its signal, `command` gets SIGTERM. When this process is killed, `command` notices that its
 * parent is gone, as programs below npm do.
 */
export async function standIn(command, args) {
  // Handlers that were registered before must not run any more.
  for (const signal of FORWARDED) process.removeAllListeners(signal);
  const belowNpm = process.env.npm_lifecycle_event;
  const env = { ...process.env, npm_lifecycle_event: belowNpm || "stand-in" };
  const child = spawn(command, args, { stdio: "inherit", env });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  if (belowNpm) watchParent(() => child.kill("SIGTERM"));

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
