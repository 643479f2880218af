import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { projectRoot } from "../../deploy/config/project.ts";

/** Optional parts of the MongoDB driver that are not installed; it asks for them and does without. */
const ABSENT = ["mongodb-client-encryption", "kerberos", "snappy", "@mongodb-js/zstd", "gcp-metadata"];

/** Native programs are loaded from where they are. */
const NATIVE = /^(uWebSockets\.js|@node-rs\/argon2)$/;

/** Modules read files from beside themselves (scripts, the contract): they go on finding them where they are. */
const where: Plugin = {
  name: "where modules are",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: NATIVE }, ({ path }) => ({
      path: createRequire(import.meta.url).resolve(path),
      external: true,
    }));
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("import.meta.url", `"${pathToFileURL(path).href}"`),
      loader: "ts",
    }));
  },
};

const made = new Map<string, Promise<string>>();

/**
 * Makes one file of a module and all that it imports, so that processes start from it in a fraction of the time; returns
 * its path. It is made once and lasts as long as this process.
 */
export function bundle(module: string): Promise<string> {
  const known = made.get(module) ?? make(module);
  made.set(module, known);
  return known;
}

async function make(module: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "livecore-bundle-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, "bundle.mjs");
  await build({
    absWorkingDir: projectRoot,
    entryPoints: [module],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: [...ABSENT, "@aws-sdk/*", "socks", "aws4"],
    // Bundled CommonJS still asks for Node's own modules by `require`.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    plugins: [where],
    logLevel: "error",
  });
  return outfile;
}
