import workerPath from "hls.js/dist/hls.worker.js?url";
import Hls, { type LevelDetails } from "hls.js/light";
import { serverNow } from "../../site/service-clock.ts";
import { client } from "../../site/session.ts";
import { trustWorker } from "../../site/trusted-worker.ts";
import { Playback } from "../player/playback.ts";
import { CHOICE_S } from "./clip-range.ts";
import type { ShowFootage } from "./cut-source.ts";

/** It is all loaded, since it leaves the edge soon. */
const BUFFER_S = CHOICE_S + 10;
/** Pieces end where the buffer says only nearly. */
const NEARLY_S = 0.5;

/** The end of what is live, as it is now: it stays while the broadcast goes on. `beganAt`: Unix ms, by the service's clock. */
export const liveFootage =
  (streamId: string, beganAt: number): ShowFootage =>
  (video, found) => {
    let hls: Hls | null = null;
    let isOver = false;
    const playback = new Playback(
      () => client.attempt("getPlayback", { path: { stream_id: streamId }, query: { protocol: "hls" } }),
      () => undefined,
    );
    const none = () => !isOver && found(null);
    playback.open({ hasQualities: false }).then((source) => {
      if (isOver) return;
      if (!source || !Hls.isSupported()) return none();
      trustWorker(workerPath);
      hls = new Hls({
        workerPath,
        startPosition: 0,
        maxBufferLength: BUFFER_S,
        lowLatencyMode: false,
        capLevelToPlayerSize: true,
      });
      hold(hls, video, (details) => {
        const zero = (endedAt(details) - beganAt) / 1_000 - details.fragmentEnd;
        found({ zero, shown: { from: zero + details.fragmentStart, to: zero + details.fragmentEnd } });
      });
      hls.on(Hls.Events.ERROR, (_event, { fatal }) => fatal && none());
      hls.loadSource(source.manifest_url);
      hls.attachMedia(video);
    }, none);
    return () => {
      isOver = true;
      playback.close();
      hls?.destroy();
    };
  };

/** Loads what the first playlist has, and nothing that comes after it. */
function hold(hls: Hls, video: HTMLVideoElement, known: (details: LevelDetails) => void): void {
  let end: number | null = null;
  hls.on(Hls.Events.LEVEL_LOADED, (_event, { details }) => {
    if (end !== null) return;
    end = details.fragmentEnd;
    known(details);
  });
  hls.on(Hls.Events.FRAG_BUFFERED, () => {
    const { buffered } = video;
    const last = buffered.length === 0 ? 0 : buffered.end(buffered.length - 1);
    if (end !== null && last >= end - NEARLY_S) hls.stopLoad();
  });
}

/** When its last picture was made, as the playlist says; without that, in the middle of the time in which the next piece is made. */
function endedAt({ fragments, targetduration }: LevelDetails): number {
  const last = fragments.at(-1);
  const now = serverNow();
  const made = last?.programDateTime ?? null;
  return made === null || !last
    ? now - (targetduration / 2) * 1_000
    : Math.min(now, made + last.duration * 1_000);
}
