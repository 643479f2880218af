import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with package.json, whether this runs from TypeScript or from `dist`. */
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/** LIVECORE_HOME as an absolute path; a relative one is resolved against the project's folder. */
export const homeFolder = (home: string): string => resolve(projectRoot, home);

function findRoot(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("livecore's package.json is missing above its code.");
  return findRoot(parent);
}
