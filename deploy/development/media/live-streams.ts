import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pictureOf, runFfmpeg } from "./ffmpeg.ts";
import type { HookSender } from "./hook-sender.ts";
import { type MediaFolders, QUALITIES, type QualitySuffix } from "./nginx-config.ts";
import type { MediaPrograms } from "./programs.ts";

const POLL_EVERY_MS = 250;
const MANIFEST_WITHIN_MS = 60_000;
const THUMBNAIL_EVERY_MS = 30_000;
const THUMBNAIL_WITHIN_MS = 15_000;
/** Of a stream: answers of a moment ago may still name the one before the newest. */
const KEPT_THUMBNAILS = 2;

const LABELS: Record<QualitySuffix, string> = { src: "Source", mid: "360p" };

type Deps = {
  folders: Pick<MediaFolders, "live" | "thumbnails">;
  programs: Pick<MediaPrograms, "ffmpeg" | "ffprobe">;
  hooks: Pick<HookSender, "report">;
  /** Base URL of thumbnails on the edge, without a trailing slash. */
  thumbnailsUrl: string;
  complain: (line: string) => void;
};

export type LiveStreams = ReturnType<typeof createLiveStreams>;

/** Reports live streams to the service: that they are live, their qualities, thumbnails, and their end. */
export function createLiveStreams({ folders, programs, hooks, thumbnailsUrl, complain }: Deps) {
  const running = new Map<string, AbortController>();
  const tasks = new Set<Promise<void>>();

  const manifestOf = (streamId: string) => join(folders.live, `${streamId}.m3u8`);
  const folderOf = (streamId: string, suffix: QualitySuffix) => join(folders.live, `${streamId}_${suffix}`);

  /** The newest complete segment: nginx still writes to the last one. */
  function segmentOf(streamId: string, suffix: QualitySuffix): string | null {
    const folder = folderOf(streamId, suffix);
    if (!existsSync(folder)) return null;
    const numberOf = (file: string) => Number.parseInt(file, 10);
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
    const last = files.sort((a, b) => numberOf(a) - numberOf(b)).at(-2);
    return last === undefined ? null : join(folder, last);
  }

  async function until<T>(look: () => T | null, signal: AbortSignal): Promise<T | null> {
    const deadline = performance.now() + MANIFEST_WITHIN_MS;
    while (!signal.aborted && performance.now() < deadline) {
      const seen = look();
      if (seen !== null) return seen;
      await pause(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    return null;
  }

  async function reportQualities(streamId: string, signal: AbortSignal): Promise<void> {
    const qualities: object[] = [];
    for (const [id, { suffix, bandwidth }] of QUALITIES.entries()) {
      const segment = await until(() => segmentOf(streamId, suffix), signal);
      const picture = segment && (await pictureOf(programs.ffprobe, segment));
      if (!picture) continue;
      qualities.push({
        id: id + 1,
        label: LABELS[suffix],
        ...picture,
        bitrate: bandwidth,
        is_default: suffix === "src",
        status: "ready",
        path: `${streamId}_${suffix}/index.m3u8`,
      });
    }
    if (!signal.aborted && qualities.length > 0)
      await hooks.report({ type: "stream.qualities", data: { stream_id: streamId, qualities } });
  }

  /** A thumbnail of the current picture. Each has a URL of its own, since browsers cache them. */
  async function reportThumbnail(streamId: string): Promise<void> {
    const segment = segmentOf(streamId, "mid") ?? segmentOf(streamId, "src");
    if (!segment) return;
    const file = `${streamId}-${Date.now()}.jpg`;
    const target = join(folders.thumbnails, file);
    const draft = `${target}.draft.jpg`;
    await runFfmpeg(programs.ffmpeg, ["-i", segment, "-frames:v", "1", draft], THUMBNAIL_WITHIN_MS);
    renameSync(draft, target);
    const data = { stream_id: streamId, thumbnail_url: `${thumbnailsUrl}/${file}` };
    await hooks.report({ type: "stream.thumbnail", data });
    for (const older of thumbnailsOf(streamId).slice(0, -KEPT_THUMBNAILS))
      rmSync(join(folders.thumbnails, older), { force: true });
  }

  /** Oldest first: their names end with a time. */
  const thumbnailsOf = (streamId: string): string[] =>
    readdirSync(folders.thumbnails)
      .filter((name) => name.startsWith(`${streamId}-`) && !name.includes("draft"))
      .sort();

  async function follow(streamId: string, signal: AbortSignal): Promise<void> {
    const shown = await until(() => (existsSync(manifestOf(streamId)) ? true : null), signal);
    if (!shown) return;
    const data = { stream_id: streamId, media_stream_id: randomUUID() };
    await hooks.report({ type: "stream.live", data });
    await reportQualities(streamId, signal);
    while (!signal.aborted) {
      await reportThumbnail(streamId);
      await pause(THUMBNAIL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  function inBackground(work: Promise<unknown>, of: string): void {
    const known: Promise<void> = work
      .then(() => undefined)
      .catch((err: unknown) => complain(`${of}: ${err instanceof Error ? err.message : String(err)}`))
      .finally(() => tasks.delete(known));
    tasks.add(known);
  }

  return {
    /** Called when the stream's source quality begins. */
    started(streamId: string): void {
      running.get(streamId)?.abort();
      const session = new AbortController();
      running.set(streamId, session);
      inBackground(follow(streamId, session.signal), `stream ${streamId}`);
    },
    ended(streamId: string): void {
      running.get(streamId)?.abort();
      running.delete(streamId);
      inBackground(
        hooks.report({ type: "stream.idle", data: { stream_id: streamId } }),
        `stream ${streamId}`,
      );
    },
    /** Those taken until then, Unix ms. */
    deleteThumbnails(streamId: string, takenUntil: number): void {
      for (const name of thumbnailsOf(streamId)) {
        const takenAt = Number.parseInt(name.slice(streamId.length + 1), 10);
        if (takenAt <= takenUntil) rmSync(join(folders.thumbnails, name), { force: true });
      }
    },
    async stop(): Promise<void> {
      for (const session of running.values()) session.abort();
      await Promise.all(tasks);
    },
  };
}
