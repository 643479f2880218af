// Builds what browsers load (`web/`) into web/dist: a folder a page, its files packed by Brotli beside themselves.
// Skipped when nothing has changed since; a build that fails leaves the last one as it was.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { filesBelow, fingerprintOf } from "./fingerprint.mjs";
import { installed, projectRoot, run, SetUpError } from "./install.mjs";
import { readyToRun } from "./node-runtime.mjs";

const PAGES = ["chat", "player", "sign-in"];
const PACKED = new Set([".js", ".css"]);
const web = join(projectRoot, "web");

export async function buildWeb() {
  const fingerprint = fingerprintOf([
    ...filesBelow(join(web, "src")),
    ...filesBelow(join(projectRoot, "clients/typescript/src")),
    ...["package-lock.json", "tsconfig.json", "vite.config.ts"].map((name) => join(web, name)),
    fileURLToPath(import.meta.url),
  ]);
  const dist = join(web, "dist");
  const stamp = join(dist, ".built-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint) return;
  await installed(web);

  const startedAt = performance.now();
  const draft = join(web, `dist.${process.pid}`);
  try {
    mkdirSync(draft);
    for (const page of PAGES) {
      const vite = join(web, "node_modules/vite/bin/vite.js");
      const args = [vite, "build", "--mode", page, "--outDir", join(draft, page)];
      if ((await run(process.execPath, args, { cwd: web })) !== 0)
        throw new SetUpError("The pages in web/ don't build; the bundler says why above.");
      for (const file of filesBelow(join(draft, page)).filter((name) => PACKED.has(extname(name))))
        writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
    }
    writeFileSync(join(draft, ".built-from"), fingerprint);
    rmSync(dist, { recursive: true, force: true });
    renameSync(draft, dist);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  console.log(`Built the pages in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await readyToRun();
    await buildWeb();
  } catch (err) {
    if (!(err instanceof SetUpError)) throw err;
    console.error(`\n${err.message}`);
    process.exitCode = 1;
  }
}
