import { execFile } from "node:child_process";
import { projectRoot } from "../config/project.ts";

const WITHIN_MS = 60_000;

/** What an operator does: `npm run staff -- grant <username>`. Throws with what the command said. */
export function makeStaff(username: string): Promise<void> {
  const dev = import.meta.url.endsWith(".ts") ? ["--dev"] : [];
  const command = ["deploy/start.mjs", ...dev, "--run", "deploy/staff", "grant", username];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, { cwd: projectRoot, timeout: WITHIN_MS }, (err, stdout, stderr) => {
      if (err) reject(new Error(`npm run staff: ${stdout}${stderr}`, { cause: err }));
      else resolve();
    });
  });
}
