// Another program does the rest of this one's work, and from outside the two are one.
import { spawn } from "node:child_process";
import { watchParent } from "./process/parent-watch.mjs";

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"];

/**
 * Runs `command` in this process's place and never resolves: this process ends when that one has, with its exit code
 * or by its signal. Signals are passed on, each once; a terminal's Ctrl-C arrives there twice in the same moment, as it
 * does below npm. When npm ends without passing its signal on, `command` gets SIGTERM; when this process is killed, it sees that its
 * parent has gone, as what runs below npm does.
 */
export async function standIn(command, args) {
  // Handlers of this process don't count any more.
  for (const signal of PASSED_ON) process.removeAllListeners(signal);
  const belowNpm = process.env.npm_lifecycle_event;
  const env = { ...process.env, npm_lifecycle_event: belowNpm || "stand-in" };
  const child = spawn(command, args, { stdio: "inherit", env });
  for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
  if (belowNpm) watchParent(() => child.kill("SIGTERM"));

  const { code, signal } = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // It takes effect a moment later; what called this must not go on in between.
  await new Promise(() => setTimeout(() => process.exit(1), 5_000));
}
