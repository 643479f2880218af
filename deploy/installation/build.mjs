// Compiles the service into dist/, copies the files that its modules read at run time, and writes the bill of materials
// (sbom.cdx.json). Skipped when no source has changed. A build that fails or is interrupted leaves the previous one as it
// was.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildWeb } from "./build-web.mjs";
import { projectRoot, run, SetUpError } from "./install.mjs";
import { readyToRun } from "./node-runtime.mjs";
import { writeSbom } from "./sbom.mjs";
import { filesBelow, fingerprintOf, unlessBuilt } from "./unless-built.mjs";

const SOURCES = [
  "api",
  "actors",
  "realtime",
  "clients/typescript/src",
  "store",
  "jobs",
  "contract",
  "base",
  "deploy",
  // What the service knows of the pages.
  ...["web/src/pages", "web/src/texts", "web/src/formats"],
];
/**
 * Not copied: what the compiler takes (.ts, .mts) and what is for people (.md, .txt). Everything else is, since the code
 * reads it.
 */
const NOT_COPIED = new Set([".ts", ".mts", ".md", ".txt"]);
/** The plain JavaScript modules that the service runs, too. All other .mjs files belong to the set-up. */
const RUN_AS_IT_IS = new Set(
  [
    "deploy/processes/process/parent-watch.mjs",
    "deploy/installation/private-folder.mjs",
    "deploy/installation/needed-stores.mjs",
    "actors/accounts/passwords/strength/thread.mjs",
  ].map((name) => join(projectRoot, name)),
);
const ALSO_DECIDES = [
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "deploy/installation/build.mjs",
  "deploy/installation/unless-built.mjs",
  "deploy/installation/sbom.mjs",
];

/** Builds the service and the pages for browsers. */
export async function build() {
  await Promise.all([buildWeb(), buildService()]);
}

async function buildService() {
  const files = SOURCES.flatMap((folder) => filesBelow(join(projectRoot, folder))).filter(
    (file) => !file.endsWith(".mjs") || RUN_AS_IT_IS.has(file),
  );
  const from = fingerprintOf([...files, ...ALSO_DECIDES.map((file) => join(projectRoot, file))]);
  async function make(draft) {
    const sbom = join(draft, "sbom.cdx.json");
    const [code, listed] = await Promise.all([compile(draft), writeSbom(sbom)]);
    if (code !== 0) throw new SetUpError("The code doesn't compile; the compiler says why above.");
    // The service runs without the bill of materials; a spec requires it.
    if (!listed) rmSync(sbom);
    for (const file of files.filter((name) => !NOT_COPIED.has(extname(name)))) {
      const target = join(draft, relative(projectRoot, file));
      mkdirSync(dirname(target), { recursive: true });
      cpSync(file, target);
    }
  }
  await unlessBuilt({ dist: join(projectRoot, "dist"), from, what: "the service", make });
}

function compile(outDir) {
  const tsc = join(projectRoot, "node_modules/typescript/bin/tsc");
  // Types are for `npm run check`: checking them here would keep a first start waiting five times as long.
  const options = ["--noCheck", "--noEmitOnError"];
  return run(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", outDir, ...options]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await readyToRun();
    await build();
  } catch (err) {
    if (!(err instanceof SetUpError)) throw err;
    console.error(`\n${err.message}`);
    process.exitCode = 1;
  }
}
