import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { newId } from "../../../base/ids.ts";
import { durationOf, runFfmpeg } from "./ffmpeg.ts";
import type { HookSender } from "./hook-sender.ts";
import type { MediaFiles } from "./media-files.ts";
import type { MediaFolders } from "./nginx-config.ts";
import type { MediaPrograms } from "./programs.ts";

const CONVERTED_WITHIN_MS = 10 * 60_000;
const THUMBNAIL_WITHIN_MS = 15_000;
const INFO = "recording.json";
/** The name of a recording's picture in the folder of its files, as it is reported. */
const THUMBNAIL = "thumbnail.jpg";
const RAW = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-\d+\.flv$/;

/** Recorded or running footage: a file that ffmpeg can read, and when it began, Unix ms. */
export type Footage = { streamId: string; file: string; startedAt: number };

/** `raw`: the name of nginx's file that it was made from, which is kept until the service has accepted the recording. */
type Info = { streamId: string; startedAt: number; raw: string };

type Deps = {
  folders: Pick<MediaFolders, "raw" | "recordings">;
  files: Pick<MediaFiles, "folderFor" | "remove">;
  programs: Pick<MediaPrograms, "ffmpeg" | "ffprobe">;
  hooks: Pick<HookSender, "report">;
  complain: (line: string) => void;
};

export type Recordings = ReturnType<typeof createRecordings>;

/** Recordings of broadcasts: while one runs it is nginx's file, afterwards a folder that the edge serves. */
export function createRecordings({ folders, files, programs, hooks, complain }: Deps) {
  const made = new Map<string, Footage & Info>();
  for (const id of readdirSync(folders.recordings)) {
    const info = infoOf(join(folders.recordings, id, INFO));
    if (info) made.set(id, { ...info, file: join(folders.recordings, id, "index.m3u8") });
  }

  const running = (streamId: string): Footage[] =>
    readdirSync(folders.raw)
      .filter((name) => RAW.exec(name)?.[1] === streamId)
      .map((name) => {
        const file = join(folders.raw, name);
        return { streamId, file, startedAt: statSync(file).birthtimeMs };
      });

  /** Renamed into place atomically: a folder that exists is complete. Returns the recording with its id. */
  async function convert(streamId: string, raw: string): Promise<[id: string, recording: Footage & Info]> {
    const file = join(folders.raw, raw);
    const id = newId();
    const draft = join(folders.recordings, `.${id}`);
    const folder = join(folders.recordings, id);
    mkdirSync(draft, { mode: 0o755 });
    const parts = ["-hls_segment_filename", join(draft, "part%05d.ts"), join(draft, "index.m3u8")];
    const hls = ["-c", "copy", "-f", "hls", "-hls_time", "4", "-hls_playlist_type", "vod", ...parts];
    await runFfmpeg(programs.ffmpeg, ["-i", file, ...hls], CONVERTED_WITHIN_MS);
    const info: Info = { streamId, startedAt: statSync(file).birthtimeMs, raw };
    writeFileSync(join(draft, INFO), JSON.stringify(info));
    renameSync(draft, folder);
    const recording = { ...info, file: join(folder, "index.m3u8") };
    made.set(id, recording);
    return [id, recording];
  }

  /** Resolves to whether the service accepted it. */
  async function report(id: string, { streamId, startedAt }: Footage): Promise<boolean> {
    const manifest = join(folders.recordings, id, "index.m3u8");
    const seconds = await durationOf(programs.ffprobe, manifest);
    const picture = ["-ss", String(seconds / 2), "-i", manifest, "-frames:v", "1"];
    const thumbnail = join(files.folderFor(id), THUMBNAIL);
    await runFfmpeg(programs.ffmpeg, [...picture, thumbnail], THUMBNAIL_WITHIN_MS);
    return hooks.report({
      type: "recording.ready",
      data: {
        stream_id: streamId,
        media_recording_id: id,
        duration_seconds: Math.round(seconds),
        started_at: new Date(startedAt).toISOString(),
        thumbnail_path: THUMBNAIL,
      },
    });
  }

  async function finish(streamId: string, raw: string): Promise<void> {
    const known = [...made].find(([, one]) => one.raw === raw);
    const [id, recording] = known ?? (await convert(streamId, raw));
    if (await report(id, recording)) rmSync(join(folders.raw, raw), { force: true });
  }

  return {
    /** All footage of a stream, newest first. */
    of: (streamId: string): Footage[] =>
      [...running(streamId), ...[...made.values()].filter((one) => one.streamId === streamId)].sort(
        (a, b) => b.startedAt - a.startedAt,
      ),

    /** Called when nginx has closed this file: converts it into a folder that the edge serves, and reports it. */
    async finish(file: string): Promise<void> {
      const raw = basename(file);
      const [, streamId] = RAW.exec(raw) ?? [];
      if (streamId !== undefined) await finish(streamId, raw);
    },

    /** Reports a recording once more. Resolves to whether the service accepted it, or it is unknown. */
    async reportAgain(id: string): Promise<boolean> {
      const known = made.get(id);
      return known ? report(id, known) : true;
    },

    remove(id: string): void {
      files.remove(id);
      rmSync(join(folders.recordings, id), { recursive: true, force: true });
      made.delete(id);
    },

    /** Finishes recordings that an earlier run left before the service knew of them. Call it before anybody publishes. */
    async finishOld(): Promise<void> {
      for (const raw of readdirSync(folders.raw)) {
        const [, streamId] = RAW.exec(raw) ?? [];
        if (streamId === undefined) continue;
        // A damaged one stays and is reported at each start; it doesn't hold up the others.
        await finish(streamId, raw).catch((err: unknown) => complain(`the recording ${raw}: ${String(err)}`));
      }
    },
  };
}

/** Null for what isn't a recording: for example an unfinished draft. */
function infoOf(file: string): Info | null {
  try {
    const { streamId, startedAt, raw }: Partial<Info> = JSON.parse(readFileSync(file, "utf8"));
    const isWhole = typeof streamId === "string" && typeof startedAt === "number" && typeof raw === "string";
    return isWhole ? { streamId, startedAt, raw } : null;
  } catch {
    return null;
  }
}
