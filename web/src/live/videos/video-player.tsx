import { type Signal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Playback } from "../player/playback.ts";
import { RecordedPlayer } from "../player/recorded-player.tsx";
import { playRecording } from "../player/recording.ts";

type Props = {
  videoId: string;
  title: string;
  poster: string | null;
  /** Follows the picture, in seconds. */
  position: Signal<number>;
  /** Where to go to, in seconds; null again once it is there. */
  sought: Signal<number | null>;
  /** While something above it plays. */
  isPaused: boolean;
};
type State = "loading" | "ready" | "failed" | "unsupported";

/** A recording in its player. */
export function VideoPlayer({ videoId, title, poster, position, sought, isPaused }: Props) {
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
    setState("loading");
    playback.open({ hasQualities: false }).then(
      (source) => {
        if (isOver) return;
        if (!source) return setState("failed");
        const failed = () => setState("failed");
        const addressOf = (url: string) => playback.current(url);
        end = playRecording(video, source.manifest_url, { failed, addressOf });
        // Also where somebody has gone to meanwhile.
        if (end) video.currentTime = position.peek();
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
    if (isPaused) element.current?.pause();
  }, [isPaused]);
  useSignalEffect(() => {
    const { value } = sought;
    if (value === null || !element.current) return;
    element.current.currentTime = value;
    // The element forgets it if it has no video yet.
    position.value = value;
    sought.value = null;
  });
  const { videos, tryAgain } = TEXTS;
  return (
    <div class="recording">
      <RecordedPlayer
        video={element}
        label={videos.label(title)}
        {...(poster === null ? {} : { poster })}
        onSecond={(second) => {
          position.value = second;
        }}
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
