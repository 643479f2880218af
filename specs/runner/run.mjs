// Runs a child process of a runner, and keeps or forwards its output.
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { projectRoot } from "../../deploy/installation/install.mjs";

/** How long a cancelled process may take to end. */
const STOP_WITHIN_MS = 45_000;

/**
 * Runs `node …args` in the project. `show` forwards its output. `deadlineMs` null: it may take as long as it likes. With a `signal` it leads its own process group, which a
 * terminal's Ctrl-C doesn't reach: the signal ends it and all its children.
 * `talk` is called with the process, which can then be sent messages.
 * @returns {Promise<{ code: number | null, output: string }>} code null: it was ended by the deadline or a signal.
 */
export async function node(
  args,
  { cwd = projectRoot, env = {}, show = false, deadlineMs = 5 * 60_000, signal, talk } = {},
) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: [
      ...(show ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"]),
      ...(talk ? ["ipc"] : []),
    ],
    detached: signal !== undefined,
  });
  talk?.(child);
  let output = "";
  const keep = (chunk) => {
    output = (output + chunk).slice(-200_000);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  let calledOff = null;
  const callOff = () => {
    // A negative id: the process group of a detached child.
    calledOff ??= ended(signal ? -child.pid : child.pid);
  };
  const late = deadlineMs === null ? null : setTimeout(callOff, deadlineMs);
  signal?.addEventListener("abort", callOff, { once: true });
  if (signal?.aborted) callOff();
  try {
    const code = await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    await calledOff;
    return { code, output };
  } finally {
    if (late !== null) clearTimeout(late);
    signal?.removeEventListener("abort", callOff);
  }
}

/** Ends the process or, by a negative id, a group, whose leader may end before the others. */
async function ended(pid) {
  const deadline = Date.now() + STOP_WITHIN_MS;
  sendSignal(pid, "SIGTERM");
  while (sendSignal(pid, 0)) {
    if (Date.now() > deadline) return sendSignal(pid, "SIGKILL");
    await delay(100);
  }
}

/** Sends the signal (0: only checks existence). False when no process is left. */
function sendSignal(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch (err) {
    if (err.code === "ESRCH") return false;
    throw err;
  }
}
