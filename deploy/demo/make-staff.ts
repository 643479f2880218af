import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const WITHIN_MS = 60_000;

/** What `npm run staff -- grant <username>` runs, as this is run: built or from source. Throws with what it said. */
export function makeStaff(username: string): Promise<void> {
  const fromTypeScript = import.meta.url.endsWith(".ts");
  const command = fileURLToPath(new URL(`../staff.${fromTypeScript ? "ts" : "js"}`, import.meta.url));
  const execArgv = fromTypeScript ? ["--import", import.meta.resolve("tsx")] : [];
  const args = [...execArgv, command, "grant", username];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: WITHIN_MS }, (err, stdout, stderr) => {
      if (err) reject(new Error(`npm run staff: ${stdout}${stderr}`, { cause: err }));
      else resolve();
    });
  });
}
