import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { processEnvironment } from "../../processes/config/environment.ts";
import { programEnvironment } from "../../processes/process/child-environment.ts";

export type Publisher = { stop(): Promise<void> };

const HD = "1280x720";

/** Publishes a test picture (by default 720p at 25 fps) with a tone, until it is stopped. `source`: the one of ffmpeg's that draws it. */
export function publishTestPicture(
  ffmpeg: string,
  {
    rtmpUrl,
    streamKey,
    size = HD,
    fps = 25,
    source = "testsrc",
  }: { rtmpUrl: string; streamKey: string; size?: string; fps?: number; source?: string },
  complain: (line: string) => void,
): Publisher {
  const picture = ["-re", "-f", "lavfi", "-i", `${source}=size=${size}:rate=${fps}`];
  const sound = ["-f", "lavfi", "-i", "sine=frequency=440"];
  const x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-pix_fmt", "yuv420p"];
  const twoSeconds = String(2 * fps);
  const keyFrames = ["-g", twoSeconds, "-keyint_min", twoSeconds, "-sc_threshold", "0"];
  const rest = ["-c:a", "aac", "-ar", "44100", "-f", "flv", `${rtmpUrl}/${streamKey}`];
  const args = ["-nostdin", "-loglevel", "error", ...picture, ...sound, ...x264, ...keyFrames, ...rest];
  const child: ChildProcess = spawn(ffmpeg, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: programEnvironment(processEnvironment()),
  });
  let isStopped = false;
  let output = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    // The URL contains the stream key.
    output = `${output}${chunk}`.replaceAll(streamKey, "…").slice(-400);
  });
  child.once("exit", () => {
    if (!isStopped) complain(`The test picture ended: ${output.trim() || "without any output"}`);
  });
  return {
    async stop() {
      isStopped = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}
