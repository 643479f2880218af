import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { codeAt } from "../../actors/identity/two-factor/one-time-codes.ts";

const WITHIN_MS = 60_000;

/**
 * What `npm run staff -- grant <username> --totp` runs, as this is run: built or from source. Gives what makes the codes by
 * which the account signs in from then on. Throws with what it said.
 */
export function makeStaff(username: string): Promise<() => string> {
  const fromTypeScript = import.meta.url.endsWith(".ts");
  const command = fileURLToPath(new URL(`../staff.${fromTypeScript ? "ts" : "js"}`, import.meta.url));
  const execArgv = fromTypeScript ? ["--import", import.meta.resolve("tsx")] : [];
  const args = [...execArgv, command, "grant", username, "--totp"];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: WITHIN_MS }, (err, stdout, stderr) => {
      if (err) return reject(new Error(`npm run staff: ${stdout}${stderr}`, { cause: err }));
      const secret = secretIn(stdout);
      resolve(() => codeAt(secret, Date.now()));
    });
  });
}

/** Throws where there is none: the account had a second factor. */
export function secretIn(said: string): string {
  const [, secret] = /^ *secret +([A-Z2-7]+)$/m.exec(said) ?? [];
  if (secret === undefined) throw new Error("npm run staff printed no secret");
  return secret;
}
