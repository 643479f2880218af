// Builds the pages for browsers (`web/`) into web/dist: one folder per embed, one for the site, and one for its service worker. Each .js and .css file also gets a Brotli copy
// (.br).
import { readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { installed, projectRoot, run, SetUpError } from "./install.mjs";
import { readyToRun } from "./node-runtime.mjs";
import { filesBelow, fingerprintOf, unlessBuilt } from "./unless-built.mjs";

const PAGES = ["chat", "player", "sign-in", "overlay", "site", "push-worker"];
const PACKED = new Set([".js", ".css"]);
const web = join(projectRoot, "web");

export async function buildWeb() {
  const from = fingerprintOf([
    ...filesBelow(join(web, "src")),
    ...filesBelow(join(projectRoot, "clients/typescript/src")),
    ...["package-lock.json", "tsconfig.json", "vite.config.ts"].map((name) => join(web, name)),
    fileURLToPath(import.meta.url),
  ]);
  await unlessBuilt({ dist: join(web, "dist"), from, what: "the pages", make });
}

async function make(draft) {
  await installed(web);
  for (const page of PAGES) {
    const vite = join(web, "node_modules/vite/bin/vite.js");
    const args = [vite, "build", "--mode", page, "--outDir", join(draft, page)];
    if ((await run(process.execPath, args, { cwd: web })) !== 0)
      throw new SetUpError("The pages in web/ don't build; the bundler says why above.");
    for (const file of filesBelow(join(draft, page)).filter((name) => PACKED.has(extname(name))))
      writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
  }
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
