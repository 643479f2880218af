import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { projectRoot } from "../../deploy/config/project.ts";

/** Optional parts of the MongoDB driver that are not installed; it asks for them and does without. */
const ABSENT = ["mongodb-client-encryption", "kerberos", "snappy", "@mongodb-js/zstd", "gcp-metadata"];

/** Native programs are loaded from where they are. */
const NATIVE = /^(uWebSockets\.js|@node-rs\/argon2|sharp)$/;

/** Those that start others from beside themselves: the workers that are bundled with them. */
const PRIMARIES = ["deploy/main.ts", "deploy/media/main.ts"];
const WORKERS = ["api", "realtime", "jobs"].map((kind) => `deploy/processes/${kind}.ts`);

/** Modules read files from beside themselves (scripts, the contract): they go on finding them where they are. */
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

const made = new Map<string, Promise<string>>();

/** Of this process, as long as it runs. */
const folders: string[] = [];
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * Makes one file of a module and all that it imports, so that processes start from it in a fraction of the time; returns
 * its path. It is made once and lasts as long as this process. A primary comes with its workers.
 */
export function bundle(module: string): Promise<string> {
  const known = made.get(module) ?? make(module);
  made.set(module, known);
  return known;
}

async function make(module: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "livecore-bundle-"));
  folders.push(folder);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  await build({
    absWorkingDir: projectRoot,
    entryPoints: PRIMARIES.includes(module) ? [module, ...WORKERS] : [module],
    outdir: folder,
    outbase: ".",
    splitting: true,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: [...ABSENT, "@aws-sdk/*", "socks", "aws4"],
    // Bundled CommonJS still asks for Node's own modules by `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    plugins: [where],
    logLevel: "error",
  });
  return join(folder, module.replace(/\.ts$/, ".js"));
}
