// One child process of a runner, with its output kept or passed on.
import { spawn } from "node:child_process";
import { projectRoot } from "../../deploy/install.mjs";

/**
 * Runs `node …args` in the project. `show` passes its output on as it comes.
 * @returns {Promise<{ code: number | null, output: string }>} code null: it was ended by the deadline or a signal.
 */
export function node(args, { env = {}, show = false, deadlineMs = 5 * 60_000 } = {}) {
  return new Promise((resolve, reject) => {
    let output = "";
    const child = spawn(process.execPath, args, {
      cwd: projectRoot,
      env: { ...process.env, ...env },
      stdio: show ? "inherit" : ["ignore", "pipe", "pipe"],
    });
    const late = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
    const keep = (chunk) => {
      output = (output + chunk).slice(-200_000);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(late);
      resolve({ code, output });
    });
  });
}
