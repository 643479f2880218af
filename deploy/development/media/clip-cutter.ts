import { renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { durationOf, runFfmpeg } from "./ffmpeg.ts";
import type { HookSender } from "./hook-sender.ts";
import type { MediaFiles } from "./media-files.ts";
import type { MediaPrograms } from "./programs.ts";
import type { Footage, Recordings } from "./recordings.ts";
import type { ClipRequest } from "./requests.ts";

/** Names in a clip's folder, as they are reported. */
export const CLIP_FILES = { video_path: "clip.mp4", thumbnail_path: "clip.jpg" } as const;

const MAX_WAITING = 20;
const CUT_WITHIN_MS = 120_000;
/** A moment is in the recording at the latest this long after it happened. */
const BEHIND_MS = 4_000;
/** A clip may begin this much before its recording; it is then cut from the recording's start. */
const LATE_MS = 10_000;

type Deps = {
  files: Pick<MediaFiles, "folderFor" | "remove">;
  programs: Pick<MediaPrograms, "ffmpeg" | "ffprobe">;
  recordings: Pick<Recordings, "of">;
  hooks: Pick<HookSender, "report">;
  complain: (line: string) => void;
};

export type ClipCutter = ReturnType<typeof createClipCutter>;

/** Cuts clips out of running and past broadcasts, one at a time. */
export function createClipCutter({ files, programs, recordings, hooks, complain }: Deps) {
  const known = new Set<string>();
  const waiting: ClipRequest[] = [];
  let working: Promise<void> | null = null;
  let isStopped = false;

  function footageFrom(streamId: string, from: number): Footage | null {
    return recordings.of(streamId).find(({ startedAt }) => startedAt <= from + LATE_MS) ?? null;
  }

  async function cut(request: ClipRequest): Promise<void> {
    const { clip_id, stream_id, start_time, end_time } = request;
    const begun = Date.parse(request.broadcast_started_at);
    const [from, to] = [begun + start_time * 1_000, begun + end_time * 1_000];
    await pause(Math.max(0, Math.min(to + BEHIND_MS - Date.now(), BEHIND_MS)));
    const footage = footageFrom(stream_id, from);
    if (!footage) throw new Error(`nothing was recorded of ${stream_id} then`);
    const offset = Math.max(0, (from - footage.startedAt) / 1_000);
    const folder = files.folderFor(clip_id);
    const video = join(folder, CLIP_FILES.video_path);
    const draft = join(folder, `.${CLIP_FILES.video_path}`);
    const range = ["-ss", offset.toFixed(3), "-i", footage.file, "-t", (end_time - start_time).toFixed(3)];
    const form = ["-c:v", "libx264", "-preset", "veryfast", "-c:a", "aac", "-movflags", "+faststart"];
    await runFfmpeg(programs.ffmpeg, [...range, ...form, draft], CUT_WITHIN_MS);
    const duration = await durationOf(programs.ffprobe, draft);
    renameSync(draft, video);
    const picture = ["-i", video, "-frames:v", "1", join(folder, CLIP_FILES.thumbnail_path)];
    await runFfmpeg(programs.ffmpeg, picture, CUT_WITHIN_MS);
    await hooks.report({ type: "clip.ready", data: { clip_id, ...CLIP_FILES, duration } });
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next && !isStopped; next = waiting.shift()) {
      const { clip_id } = next;
      try {
        await cut(next);
      } catch (err) {
        complain(`clip ${clip_id}: ${err instanceof Error ? err.message : String(err)}`);
        known.delete(clip_id);
        files.remove(clip_id);
        await hooks.report({ type: "clip.failed", data: { clip_id } });
      }
    }
    working = null;
  }

  return {
    /** Queues a clip; one that was requested before isn't cut again. False when the queue is full. */
    take(request: ClipRequest): boolean {
      if (known.has(request.clip_id)) return true;
      if (waiting.length >= MAX_WAITING) return false;
      known.add(request.clip_id);
      waiting.push(request);
      working ??= work();
      return true;
    },
    /** A clip that is being cut is removed after its report, which leads to another request to remove it. */
    remove(clipId: string): void {
      const place = waiting.findIndex(({ clip_id }) => clip_id === clipId);
      if (place >= 0) waiting.splice(place, 1);
      files.remove(clipId);
    },
    async stop(): Promise<void> {
      isStopped = true;
      await working;
    },
  };
}
