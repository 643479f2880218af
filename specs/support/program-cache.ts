import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../deploy/config/project.ts";

/** Lets `home` use the database programs in this project's own cache, so that specs fetch nothing twice. */
export function useProjectCache(home: string): void {
  const cache = join(projectRoot, ".livecore/cache");
  mkdirSync(cache, { recursive: true });
  symlinkSync(cache, join(home, "cache"));
}
