// Compiles the client package into clients/typescript/dist: `npm pack` there runs it first, in a plain clone too.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { installed, projectRoot, run, SetUpError } from "./install.mjs";

const client = join(projectRoot, "clients/typescript");

try {
  await installed(projectRoot);
  // Files of modules that are gone would be packed too.
  rmSync(join(client, "dist"), { recursive: true, force: true });
  const tsc = join(projectRoot, "node_modules/typescript/bin/tsc");
  process.exitCode = await run(process.execPath, [tsc, "-p", client, "--noEmit", "false"]);
} catch (err) {
  if (!(err instanceof SetUpError)) throw err;
  console.error(`\n${err.message}`);
  process.exitCode = 1;
}
