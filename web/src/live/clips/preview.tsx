import { Pause, Play } from "lucide";
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { TEXTS } from "../../texts/texts.ts";
import { keptSound } from "../player/kept-sound.ts";
import type { Part } from "./clip-range.ts";
import type { Footage } from "./cut-source.ts";

type Props = {
  video: RefObject<HTMLVideoElement | null>;
  /** Undefined until it is known. */
  footage: Footage | undefined;
  range: Part | null;
  /** The second of the broadcast that is shown. */
  onSecond: (second: number) => void;
};

/** Plays what is chosen in a loop. */
export function Preview({ video, footage, range, onSecond }: Props) {
  const { clipCutter } = TEXTS;
  const [isPaused, setPaused] = useState(true);
  useEffect(() => {
    if (!video.current) return;
    const { volume, isMuted } = keptSound();
    video.current.volume = volume;
    video.current.muted = isMuted;
  }, []);
  const isShown =
    footage && range && range.from >= footage.shown.from - 1 && range.to <= footage.shown.to + 1;
  const note =
    footage === undefined
      ? clipCutter.loading
      : footage === null
        ? clipCutter.noPreview
        : isShown
          ? null
          : clipCutter.notShown;
  const toggle = (): void => {
    const element = video.current;
    if (!element) return;
    if (element.paused) void play(element);
    else element.pause();
  };
  return (
    <div class="preview">
      {/* biome-ignore lint/a11y/useMediaCaption: broadcasts have no captions */}
      <video
        ref={video}
        playsInline
        aria-label={clipCutter.preview}
        onPlay={() => setPaused(false)}
        onPause={() => setPaused(true)}
        onTimeUpdate={({ currentTarget }) => {
          if (!footage || !range) return;
          const second = footage.zero + currentTarget.currentTime;
          // Before its beginning, too: a live playlist may have moved it.
          if (second >= range.to || second < range.from - 1)
            currentTarget.currentTime = range.from - footage.zero;
          onSecond(Math.min(range.to, Math.max(range.from, second)));
        }}
      />
      {note !== null && (
        <p class="note" role="status">
          {note}
        </p>
      )}
      {footage && (
        <button
          type="button"
          class="button quiet"
          aria-label={isPaused ? clipCutter.play : clipCutter.pause}
          onClick={toggle}
        >
          <Icon of={isPaused ? Play : Pause} />
        </button>
      )}
    </div>
  );
}

/** Where the browser wants a press first, its button is there. */
export const play = (video: HTMLVideoElement): Promise<void> => video.play().catch(() => undefined);
