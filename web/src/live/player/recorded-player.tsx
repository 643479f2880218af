import type { RefObject } from "preact";
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { formatClock } from "../../formats/clock.ts";
import { TEXTS } from "../../texts/texts.ts";
import { toggleFullscreen } from "./fullscreen.ts";
import { Icon } from "./icons.tsx";
import { keepSound, keptSoundOnPress } from "./kept-sound.ts";
import { acceptsKey } from "./keys.ts";
import { PlayAndSound } from "./play-and-sound.tsx";
import "./player.css";
import "./recorded-player.css";

type Props = {
  video: RefObject<HTMLVideoElement | null>;
  /** What it shows, for screen readers. */
  label: string;
  /** Where its owner doesn't give the element what it plays. */
  src?: string;
  poster?: string;
  onSecond?: (second: number) => void;
};

const SEEK_STEP_S = 5;
const VOLUME_STEP = 0.1;
/** What the controls show. */
const SHOWN = "play pause ended volumechange timeupdate seeking durationchange emptied".split(" ");

/** A recording or a clip, with the controls of the live player and a slider for its time. It begins as loud as the last one was. */
export function RecordedPlayer({ video, label, onSecond, ...media }: Props) {
  const frame = useRef<HTMLElement>(null);
  const [, look] = useReducer((count: number) => count + 1, 0);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    const { volume, isMuted } = keptSoundOnPress();
    element.volume = volume;
    element.muted = isMuted;
    for (const event of SHOWN) element.addEventListener(event, look);
    const ended = new AbortController();
    document.addEventListener("keydown", (event) => press(event, element, frame.current), ended);
    return () => {
      for (const event of SHOWN) element.removeEventListener(event, look);
      ended.abort();
    };
  }, []);
  const element = video.current;
  const isPaused = element?.paused ?? true;
  const isMuted = element?.muted ?? false;
  const second = element?.currentTime ?? 0;
  const seconds = secondsOf(element);
  const { player, videos } = TEXTS;
  const clock = `${formatClock(second * 1_000)} / ${formatClock(seconds * 1_000)}`;
  return (
    <section class="player recorded" ref={frame} aria-label={label} data-paused={isPaused}>
      <video
        {...media}
        ref={video}
        playsInline
        onClick={() => toggle(element)}
        onError={() => media.src !== undefined && setFailed(true)}
        onTimeUpdate={({ currentTarget }) => onSecond?.(currentTarget.currentTime)}
      />
      {isFailed && (
        <div class="card" role="alert">
          <p>{videos.failed}</p>
          <button
            type="button"
            class="button"
            onClick={() => {
              setFailed(false);
              element?.load();
            }}
          >
            {TEXTS.tryAgain}
          </button>
        </div>
      )}
      <div class="controls">
        <input
          class="seek"
          type="range"
          min={0}
          max={seconds}
          step="any"
          value={second}
          aria-label={videos.seek}
          aria-valuetext={clock}
          onInput={({ currentTarget }) => {
            if (element) element.currentTime = currentTarget.valueAsNumber;
          }}
        />
        <PlayAndSound
          isPaused={isPaused}
          isMuted={isMuted}
          volume={element?.volume ?? 1}
          onToggle={() => toggle(element)}
          onMute={() => element && mute(element)}
          onVolume={(volume) => element && setVolume(element, volume)}
        />
        <span class="clock">{clock}</span>
        <button
          type="button"
          aria-label={player.fullscreen}
          title={player.fullscreen}
          onClick={() => toggleFullscreen(frame.current)}
        >
          <Icon name="fullscreen" />
        </button>
      </div>
    </section>
  );
}

/** 0 until it is known. */
const secondsOf = (element: HTMLVideoElement | null): number =>
  element && Number.isFinite(element.duration) ? element.duration : 0;

function toggle(element: HTMLVideoElement | null): void {
  // Its source says itself why it can't be played.
  if (element?.paused) element.play().catch(() => undefined);
  else element?.pause();
}

function mute(element: HTMLVideoElement): void {
  element.muted = !element.muted;
  keepSoundOf(element);
}

function setVolume(element: HTMLVideoElement, volume: number): void {
  // From silence it goes back to the last one above 0.
  if (volume > 0) element.volume = Math.min(1, volume);
  element.muted = volume <= 0;
  keepSoundOf(element);
}

/** What was chosen, and not that the browser wants a press before it gives sound. */
const keepSoundOf = ({ volume, muted: isMuted }: HTMLVideoElement): void => keepSound({ volume, isMuted });

function press(event: KeyboardEvent, element: HTMLVideoElement, frame: HTMLElement | null): void {
  if (!acceptsKey(event)) return;
  const seek = (step: number): void => {
    element.currentTime = Math.min(secondsOf(element), Math.max(0, element.currentTime + step));
  };
  const louder = (step: number): void => setVolume(element, (element.muted ? 0 : element.volume) + step);
  const acts: Record<string, () => void> = {
    " ": () => toggle(element),
    k: () => toggle(element),
    m: () => mute(element),
    f: () => toggleFullscreen(frame),
    ArrowLeft: () => seek(-SEEK_STEP_S),
    ArrowRight: () => seek(SEEK_STEP_S),
    ArrowUp: () => louder(VOLUME_STEP),
    ArrowDown: () => louder(-VOLUME_STEP),
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}
