import { execFile } from "node:child_process";
import { projectRoot } from "../../deploy/config/project.ts";

/** Runs an operator's command on the spec's stores: what was built, when the runner has just built it, else from source. */
export function operate(
  module: string,
  args: string[],
  { home, database, env: more = {} }: { home: string; database: string; env?: Record<string, string> },
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    ...process.env,
    LIVECORE_HOME: home,
    NODE_ENV: "development",
    MONGODB_DATABASE: database,
    ...more,
  };
  const { SPEC_BUILD: build } = process.env;
  const command = ["deploy/start.mjs", ...(build ? [] : ["--dev"]), "--run", module, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: projectRoot, env, timeout: 45_000 }, (err, stdout, stderr) => {
      resolve({ code: err === null ? 0 : Number(err.code), stdout, stderr });
    });
  });
}
