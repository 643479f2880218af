import { client } from "../../site/session.ts";
import { Playback } from "../player/playback.ts";
import { playRecording } from "../player/recording.ts";
import type { CutRecording, ShowFootage } from "./cut-source.ts";

/** A recording. `beganAt`: when its broadcast began, Unix ms. */
export const recordedFootage =
  ({ videoId, startedAt, seconds }: CutRecording, beganAt: number): ShowFootage =>
  (video, found) => {
    let end: (() => void) | null = null;
    let isOver = false;
    const playback = new Playback(
      () => client.attempt("getVideoPlayback", { path: { video_id: videoId } }),
      () => undefined,
    );
    const none = () => !isOver && found(null);
    const zero = (Date.parse(startedAt) - beganAt) / 1_000;
    playback.open({ hasQualities: false }).then((source) => {
      if (isOver) return;
      if (!source) return none();
      const addressOf = (url: string) => playback.current(url);
      end = playRecording(video, source.manifest_url, { failed: none, addressOf });
      found(end && { zero, shown: { from: zero, to: zero + seconds } });
    }, none);
    return () => {
      isOver = true;
      playback.close();
      end?.();
    };
  };
