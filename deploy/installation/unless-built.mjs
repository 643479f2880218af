// Skips builds whose sources haven't changed, and replaces build output in one step.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { projectRoot } from "./install.mjs";

/** All files below a folder, sorted; empty when the folder doesn't exist. */
export function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** A SHA-256 of the files' names and contents. */
export function fingerprintOf(files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${relative(projectRoot, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  return hash.digest("hex");
}

/**
 * Has `make` fill a draft beside `dist`, which then takes its place; nothing happens where `dist` was built from the same. What
 * fails or is interrupted leaves the last one as it was.
 * @param {{ dist: string, from: string, what: string, make: (draft: string) => Promise<void> }} build `from`: a fingerprint
 */
export async function unlessBuilt({ dist, from, what, make }) {
  const stamp = join(dist, ".built-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === from) return;
  const startedAt = performance.now();
  const draft = `${dist}.${process.pid}`;
  try {
    mkdirSync(draft);
    await make(draft);
    writeFileSync(join(draft, ".built-from"), from);
    rmSync(dist, { recursive: true, force: true });
    renameSync(draft, dist);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  console.log(`Built ${what} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
}
