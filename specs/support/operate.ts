import { execFile } from "node:child_process";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { bundle } from "./bundle.ts";
import { MASTER_KEY } from "./core.ts";

/** Runs an operator's command on the spec's stores; the first steps of `npm test` cover how `npm run` starts one. */
export async function operate(
  module: string,
  args: readonly string[],
  { home, database, env: more = {} }: { home: string; database: string; env?: Record<string, string> },
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    ...process.env,
    LIVECORE_HOME: home,
    NODE_ENV: "development",
    MONGODB_DATABASE: database,
    MASTER_KEY,
    ...more,
  };
  const command = [await bundle(`${module}.ts`), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: projectRoot, env, timeout: 45_000 }, (err, stdout, stderr) => {
      resolve({ code: err === null ? 0 : Number(err.code), stdout, stderr });
    });
  });
}
