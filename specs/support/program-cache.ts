import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../deploy/processes/config/project.ts";

/** Links the project's program cache into `home`, so that specs fetch no database program twice. */
export function useProjectCache(home: string): void {
  const cache = join(projectRoot, ".livecore/cache");
  mkdirSync(cache, { recursive: true });
  symlinkSync(cache, join(home, "cache"));
}
