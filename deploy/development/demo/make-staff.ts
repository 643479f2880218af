import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { codeAt } from "../../../actors/accounts/two-factor/one-time-codes.ts";

const WITHIN_MS = 60_000;

/**
 * Runs `npm run staff -- grant <username> --totp` in the same form as this process: built or from source. Returns a function
 * that generates the account's one-time codes from then on. Throws with the command's output.
 */
export function makeStaff(username: string): Promise<() => string> {
  const fromTypeScript = import.meta.url.endsWith(".ts");
  const command = fileURLToPath(
    new URL(`../../commands/staff.${fromTypeScript ? "ts" : "js"}`, import.meta.url),
  );
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

/** Throws when there is none, because the account already had a second factor. */
export function secretIn(output: string): string {
  const [, secret] = /^ *secret +([A-Z2-7]+)$/m.exec(output) ?? [];
  if (secret === undefined) throw new Error("npm run staff printed no secret");
  return secret;
}
