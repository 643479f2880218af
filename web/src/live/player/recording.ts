import workerPath from "hls.js/dist/hls.worker.js?url";
import Hls from "hls.js/light";
import { trustWorker } from "../../site/trusted-worker.ts";

const NATIVE = "application/vnd.apple.mpegurl";

type Events = {
  /** It can't go on: the address has expired, or the network is away. */
  failed(): void;
};

/**
 * Plays a recording in a video element. Returns what ends it, or null where the browser can't play it. `addressOf` gives the newest
 * address below which the pieces lie: each expires after minutes.
 */
export function playRecording(
  video: HTMLVideoElement,
  manifest: string,
  { failed, addressOf }: Events & { addressOf: (url: string) => string },
): (() => void) | null {
  if (Hls.isSupported()) {
    trustWorker(workerPath);
    const hls = new Hls({
      workerPath,
      xhrSetup: (request, url) => request.open("GET", addressOf(url), true),
    });
    hls.on(Hls.Events.ERROR, (_event, { fatal }) => fatal && failed());
    hls.loadSource(manifest);
    hls.attachMedia(video);
    return () => hls.destroy();
  }
  if (video.canPlayType(NATIVE) === "") return null;
  video.src = manifest;
  video.onerror = failed;
  return () => {
    video.removeAttribute("src");
    video.load();
  };
}
