// Generates all derived files of the project. `npm run check` runs it as well and fails when that changes a file.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { installed, projectRoot, SetUpError } from "../../deploy/installation/install.mjs";
import { node } from "./run.mjs";

/** Groups in this order: later ones read the output of earlier ones, and those of a group run side by side. */
const GENERATORS = [
  [["the lists of all modules of a kind", "specs/runner/write-indexes.mjs"]],
  [["the OpenAPI and AsyncAPI documents, their types and tables", "contract/generator/generate.ts"]],
  [
    ["docs/configuration.md", "deploy/processes/config/write-page.ts"],
    ["docs/metrics.md", "deploy/processes/metrics/write-page.ts"],
    ["docs/machines", "specs/actors/host/diagrams.ts"],
    ["docs/decisions/README.md", "specs/runner/write-decisions.mjs"],
  ],
  [["docs/coverage.md", "contract/coverage/generate.ts"]],
];
const GENERATED = [
  ...["contract/generated", "clients/typescript/src/generated", "docs"],
  ...["store/mongo/generated", "actors/generated", "api/generated"],
  ...["specs/actors/generated", "specs/api/generated"],
];

/** @returns {Promise<string[]>} failures in words; none when all ran. */
export async function generate() {
  await installed(join(projectRoot, "tools"));
  const failures = [];
  const run = async ([what, file]) => {
    const { code, output } = await node(file.endsWith(".ts") ? ["--import", "tsx", file] : [file]);
    if (code !== 0) failures.push(`${what} (${file}) failed:\n${output.trim()}`);
  };
  for (const group of GENERATORS) await Promise.all(group.map(run));
  return failures;
}

/** @returns {Promise<string[]>} what was out of date, or failed, in words. */
export async function staleFiles() {
  const before = hashes();
  const failures = await generate();
  const after = hashes();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (file) => before.get(file) !== after.get(file),
  );
  return [
    ...failures,
    ...changed.map((file) => `${file} was out of date and has been written anew; commit it.`),
  ];
}

function hashes() {
  const files = GENERATED.map((folder) => join(projectRoot, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    files.map((file) => [
      relative(projectRoot, file),
      createHash("sha256").update(readFileSync(file)).digest("hex"),
    ]),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await installed(projectRoot);
    const failures = await generate();
    for (const failure of failures) console.error(failure);
    process.exitCode = failures.length === 0 ? 0 : 1;
  } catch (err) {
    if (!(err instanceof SetUpError)) throw err;
    console.error(err.message);
    process.exitCode = 1;
  }
}
