import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { processEnvironment } from "../../processes/config/environment.ts";
import { programEnvironment } from "../../processes/process/child-environment.ts";

const execute = promisify(execFile);

const PROBE_WITHIN_MS = 20_000;
const MAX_OUTPUT = 1024 * 1024;

type Picture = { width: number; height: number; fps: number };

/** Runs ffmpeg; after `withinMs` it is killed, and this rejects. */
export async function runFfmpeg(ffmpeg: string, args: string[], withinMs: number): Promise<void> {
  await execute(ffmpeg, ["-nostdin", "-loglevel", "error", "-y", ...args], {
    timeout: withinMs,
    maxBuffer: MAX_OUTPUT,
    env: programEnvironment(processEnvironment()),
  });
}

/** In seconds; rejects for a file that has no duration. */
export async function durationOf(ffprobe: string, file: string): Promise<number> {
  const output = await probe(ffprobe, ["-show_entries", "format=duration", file]);
  const seconds = Number.parseFloat(output);
  if (!(seconds > 0)) throw new Error(`nothing plays in ${file}`);
  return seconds;
}

/** Null when the file has no video, or none yet. */
export async function pictureOf(ffprobe: string, file: string): Promise<Picture | null> {
  const entries = "stream=width,height,avg_frame_rate";
  const output = await probe(ffprobe, ["-select_streams", "v:0", "-show_entries", entries, file]);
  const [width, height, rate = ""] = output.trim().split(/[,\n]/);
  const [frames, seconds = 1] = rate.split("/").map(Number);
  if (!Number(width) || !Number(height)) return null;
  const fps = frames && seconds ? Math.round(frames / seconds) : 0;
  return { width: Number(width), height: Number(height), fps };
}

async function probe(ffprobe: string, args: string[]): Promise<string> {
  const { stdout } = await execute(ffprobe, ["-v", "error", "-of", "csv=p=0", ...args], {
    timeout: PROBE_WITHIN_MS,
    maxBuffer: MAX_OUTPUT,
    env: programEnvironment(processEnvironment()),
  });
  return stdout;
}
