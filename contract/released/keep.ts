/**
 * Stores both current documents as the released ones, with which later ones are compared
 * (specs/api/contract/compatibility); `npm run release` does it. It
 * refuses while they break the previous release; `--breaking` is for a new major version.
 *
 *   node --import tsx contract/released/keep.ts
 */
import { writeFileSync } from "node:fs";
import { brokenSocketPromises } from "../compatibility/asyncapi.ts";
import { brokenPromises } from "../compatibility/openapi.ts";
import { isObject } from "../json.ts";
import { current, fileOf, KINDS, type Kind, NARROWED_FILE, narrowedTexts, released } from "./released.ts";

/** The document; paths or components; a path or a kind of components. */
const LEVELS = 3;

const isAllowed = process.argv.includes("--breaking");
const narrowed = new Set(narrowedTexts());
const broken = [
  ...brokenPromises(released("openapi"), current("openapi"), Date.now()),
  ...brokenSocketPromises(released("asyncapi"), current("asyncapi"), Date.now()),
].filter((line) => !narrowed.has(line));
if (broken.length > 0 && !isAllowed) {
  process.stderr.write(`These break what was released:\n${broken.map((line) => `  ${line}`).join("\n")}\n`);
  process.exitCode = 1;
} else {
  for (const kind of KINDS) keep(kind);
  writeFileSync(NARROWED_FILE, "[]\n");
}

function keep(kind: Kind): void {
  writeFileSync(fileOf(kind), `${inLines(current(kind), LEVELS)}\n`);
}

/** One line per operation, message or schema, so that a release's changes are visible in diffs. */
function inLines(value: unknown, levels: number): string {
  if (levels === 0 || !isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}:${inLines(inner, levels - 1)}`,
  );
  return entries.length === 0 ? "{}" : `{\n${entries.join(",\n")}\n}`;
}
