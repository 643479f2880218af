import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { projectRoot } from "../../deploy/config/project.ts";

/** Optional dependencies of the MongoDB driver that aren't installed; it tries them and works without. */
const ABSENT = ["mongodb-client-encryption", "kerberos", "snappy", "@mongodb-js/zstd", "gcp-metadata"];

/** Native modules are loaded from their packages. */
const NATIVE = /^(uWebSockets\.js|@node-rs\/argon2|sharp)$/;

/** Modules that start workers, which are bundled with them. */
const PRIMARIES = ["deploy/main.ts", "deploy/media/main.ts"];
const WORKERS = ["api", "realtime", "jobs"].map((kind) => `deploy/processes/${kind}.ts`);

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

const made = new Map<string, Promise<string>>();

/** Temporary folders, removed when this process exits. */
const folders: string[] = [];
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * Bundles a module with all its imports, so that processes start from it in a fraction of the time; returns the bundle's path.
 * Each module is bundled once per process and removed at its exit. A primary is bundled with its workers.
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
    // Bundled CommonJS modules still `require` Node's own modules.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    plugins: [where],
    logLevel: "error",
  });
  return join(folder, module.replace(/\.ts$/, ".js"));
}
