import type { Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { keepSound, keptSound } from "../player/kept-sound.ts";
import { Playback } from "../player/playback.ts";
import { playRecording } from "../player/recording.ts";

type Props = {
  videoId: string;
  title: string;
  poster: string | null;
  /** Follows the picture, in seconds. */
  position: Signal<number>;
  /** While something above it plays. */
  isPaused: boolean;
};
type State = "loading" | "ready" | "failed" | "unsupported";

/** A recording, with the browser's own controls. */
export function VideoPlayer({ videoId, title, poster, position, isPaused }: Props) {
  const element = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<State>("loading");
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const video = element.current;
    if (!video) return;
    let end: (() => void) | null = null;
    let isOver = false;
    const playback = new Playback(
      () => client.attempt("getVideoPlayback", { path: { video_id: videoId } }),
      () => undefined,
    );
    const from = position.peek();
    setState("loading");
    playback.open({ hasQualities: false }).then(
      (source) => {
        if (isOver) return;
        if (!source) return setState("failed");
        const failed = () => setState("failed");
        const addressOf = (url: string) => playback.current(url);
        end = playRecording(video, source.manifest_url, { failed, addressOf });
        if (end) video.currentTime = from;
        setState(end ? "ready" : "unsupported");
      },
      () => setState("failed"),
    );
    return () => {
      isOver = true;
      playback.close();
      end?.();
    };
  }, [videoId, tries]);
  useEffect(() => {
    const video = element.current;
    if (!video) return;
    const { volume, isMuted } = keptSound();
    video.volume = volume;
    video.muted = isMuted;
  }, []);
  useEffect(() => {
    if (isPaused) element.current?.pause();
  }, [isPaused]);
  const { videos, tryAgain } = TEXTS;
  return (
    <div class="recording">
      <video
        ref={element}
        controls
        playsInline
        aria-label={videos.label(title)}
        {...(poster === null ? {} : { poster })}
        onTimeUpdate={({ currentTarget }) => {
          position.value = currentTarget.currentTime;
        }}
        onVolumeChange={({ currentTarget: { volume, muted } }) => keepSound({ volume, isMuted: muted })}
      />
      {state !== "ready" && (
        <div class="over" role="status">
          <p>{state === "loading" ? videos.loading : videos[state]}</p>
          {state === "failed" && (
            <button type="button" class="button" onClick={() => setTries(tries + 1)}>
              {tryAgain}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
