// Runs a program to its end.
import { spawn } from "node:child_process";

const OUTPUT_KEPT = 2_000_000;

/**
 * Runs it with what it prints kept (the end of it). `code` is null when the program doesn't exist or was ended by
 * `withinMs`. Throws the signal's reason, once the program has ended, when that calls it off. It leads a process group of its own, which
 * ends with it: pip starts others, and who holds its output is waited for.
 * @returns {Promise<{ code: number | null, output: string }>}
 */
export async function ended(command, args, { signal, withinMs, cwd, env = process.env }) {
  signal.throwIfAborted();
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch (err) {
      // It has ended.
      if (err.code !== "ESRCH") throw err;
    }
  };
  const late = setTimeout(end, withinMs);
  signal.addEventListener("abort", end, { once: true });
  let output = "";
  const keep = (chunk) => {
    output = (output + chunk).slice(-OUTPUT_KEPT);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const code = await new Promise((resolve) => {
    // It doesn't exist or isn't executable.
    child.once("error", (err) => {
      output += err.message;
      resolve(null);
    });
    child.once("close", resolve);
  });
  clearTimeout(late);
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  return { code, output };
}
