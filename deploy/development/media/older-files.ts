import { copyFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CLIP_FILES } from "./clip-cutter.ts";
import type { HookSender } from "./hook-sender.ts";
import type { MediaFiles } from "./media-files.ts";
import type { MediaFolders } from "./nginx-config.ts";
import type { Recordings } from "./recordings.ts";

const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const CLIP = new RegExp(`^(${ID})\\.mp4$`);
const THUMBNAIL = new RegExp(`^(${ID})\\.jpg$`);

type Deps = {
  folders: Pick<MediaFolders, "olderClips" | "thumbnails">;
  files: Pick<MediaFiles, "folderFor">;
  recordings: Pick<Recordings, "reportAgain">;
  hooks: Pick<HookSender, "report">;
};

/**
 * Moves clips and pictures of recordings from before files were signed, when they had permanent addresses, and reports them once
 * more. One that the service doesn't accept stays for the next start.
 */
export async function moveOlderFiles({ folders, files, recordings, hooks }: Deps): Promise<void> {
  for (const name of namesIn(folders.olderClips)) {
    const [, clip_id] = CLIP.exec(name) ?? [];
    if (clip_id === undefined) continue;
    const folder = files.folderFor(clip_id);
    const video = join(folders.olderClips, name);
    const picture = join(folders.olderClips, `${clip_id}.jpg`);
    copyFileSync(video, join(folder, CLIP_FILES.video_path));
    const hasPicture = existsSync(picture);
    if (hasPicture) copyFileSync(picture, join(folder, CLIP_FILES.thumbnail_path));
    const { video_path, thumbnail_path } = CLIP_FILES;
    const data = { clip_id, video_path, thumbnail_path: hasPicture ? thumbnail_path : null };
    if (!(await hooks.report({ type: "clip.ready", data }))) continue;
    rmSync(video);
    rmSync(picture, { force: true });
  }
  for (const name of namesIn(folders.thumbnails)) {
    const [, recordingId] = THUMBNAIL.exec(name) ?? [];
    if (recordingId === undefined) continue;
    if (await recordings.reportAgain(recordingId)) rmSync(join(folders.thumbnails, name));
  }
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
