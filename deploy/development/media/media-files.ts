import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { MediaFolders } from "./nginx-config.ts";

type Visibility = "public" | "unlisted" | "private";

export type MediaFiles = ReturnType<typeof createMediaFiles>;

/**
 * The files of clips, and the pictures of recordings: a folder for each, which the edge serves under its name alone. Renaming it
 * ends the addresses that were signed for the other name (docs/media.md).
 */
export function createMediaFiles({ files }: Pick<MediaFolders, "files">) {
  const folderOf = (id: string, visibility: Visibility) =>
    join(files, `${id}_${visibility === "public" ? "public" : "private"}`);

  return {
    /** The folder for new files: that of a public thing, until the service says otherwise. */
    folderFor(id: string): string {
      const hidden = folderOf(id, "private");
      if (existsSync(hidden)) return hidden;
      const folder = folderOf(id, "public");
      mkdirSync(folder, { recursive: true, mode: 0o755 });
      return folder;
    },
    setVisibility(id: string, visibility: Visibility): void {
      const to = folderOf(id, visibility);
      const from = folderOf(id, visibility === "public" ? "private" : "public");
      if (existsSync(from) && !existsSync(to)) renameSync(from, to);
    },
    remove(id: string): void {
      for (const visibility of ["public", "private"] as const)
        rmSync(folderOf(id, visibility), { recursive: true, force: true });
    },
  };
}
