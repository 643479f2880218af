import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { projectRoot } from "../../deploy/processes/config/project.ts";

/** Optional dependencies of the MongoDB driver that aren't installed; it tries them and works without. */
const ABSENT = ["mongodb-client-encryption", "kerberos", "snappy", "@mongodb-js/zstd", "gcp-metadata"];

/** Native modules are loaded from their packages. */
const NATIVE = /^(uWebSockets\.js|@node-rs\/argon2|sharp)$/;

/** Modules that start workers, which are bundled with them. */
const PRIMARIES = ["deploy/main.ts", "deploy/development/media/main.ts"];
const WORKERS = ["api", "realtime", "jobs", "schema"].map((kind) => `deploy/processes/workers/${kind}.ts`);

/** All that specs start as processes of their own. They are bundled together, which costs about as much as two of them alone. */
const PROGRAMS = [
  ...PRIMARIES,
  ...WORKERS,
  ...["actors", "keys", "migrate", "restored", "rollups", "search", "staff"].map(
    (command) => `deploy/commands/${command}.ts`,
  ),
  "deploy/development/demo/main.ts",
  "specs/actors/channels/follows/child.ts",
  "specs/actors/host/contention/bettor-worker.ts",
  "specs/actors/host/contention/tally-worker.ts",
  "specs/actors/host/crash/child.ts",
  "specs/actors/host/crash/worker.ts",
  "specs/actors/notifications/child.ts",
  "specs/actors/host/outbox-races/publisher.ts",
  "specs/actors/host/timers-after-downtime/jobs-worker.ts",
  "specs/jobs/notifications/child.ts",
  "specs/realtime/archive/archive-child.ts",
  "specs/realtime/wire/crowd-child.ts",
  "specs/realtime/wire/gateway-child.ts",
  "specs/support/toy-primary.ts",
  "specs/support/chatty-process.ts",
  "specs/support/toy-worker.ts",
];

/** Modules read files next to themselves (scripts, the contract). This keeps `import.meta.url` at the original path. */
const where: Plugin = {
  name: "where modules are",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: NATIVE }, ({ path }) => ({
      path: createRequire(import.meta.url).resolve(path),
      external: true,
    }));
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (PRIMARIES.some((primary) => path === join(projectRoot, primary))) return null;
      const where = `"${pathToFileURL(path).href}"`;
      return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", where), loader: "ts" };
    });
  },
};

let made: Promise<string> | null = null;

/**
 * The path of a program's bundle with all its imports, from which processes start in a fraction of the time. All are made at the first
 * call, in the folder SPEC_BUNDLES, which the lanes of a run share, or in one that is removed when this process exits. Throws for a
 * program that isn't listed above.
 */
export async function bundle(program: string): Promise<string> {
  if (!PROGRAMS.includes(program))
    throw new Error(`${program} isn't among the PROGRAMS of specs/support/bundle.ts`);
  made ??= sharedOrOwn(process.env.SPEC_BUNDLES);
  return join(await made, program.replace(/\.ts$/, ".js"));
}

/** Whoever comes first makes the shared ones; who has made them meanwhile, too, throws its own away. */
async function sharedOrOwn(shared: string | undefined): Promise<string> {
  if (shared !== undefined && existsSync(shared)) return shared;
  const folder = mkdtempSync(shared === undefined ? join(tmpdir(), "livecore-bundles-") : `${shared}-`);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await make(folder);
  if (shared === undefined) return folder;
  try {
    renameSync(folder, shared);
  } catch (err) {
    if (!existsSync(shared)) throw err;
  }
  return shared;
}

async function make(folder: string): Promise<void> {
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  await build({
    absWorkingDir: projectRoot,
    entryPoints: PROGRAMS,
    outdir: folder,
    outbase: ".",
    splitting: true,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: [...ABSENT, "@aws-sdk/*", "socks", "aws4"],
    // Bundled CommonJS modules still `require` Node's own modules.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    plugins: [where],
    logLevel: "error",
  });
}
