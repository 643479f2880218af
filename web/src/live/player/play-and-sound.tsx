import { TEXTS } from "../../texts/embedded.ts";
import { Icon } from "./icons.tsx";

export type PlayAndSoundProps = {
  isPaused: boolean;
  isMuted: boolean;
  /** 0 to 1. */
  volume: number;
  onToggle: () => void;
  onMute: () => void;
  onVolume: (volume: number) => void;
};

/** The first controls of every player: play or pause, mute, volume. */
export function PlayAndSound({ isPaused, isMuted, volume, onToggle, onMute, onVolume }: PlayAndSoundProps) {
  const { player } = TEXTS;
  return (
    <>
      <button type="button" onClick={onToggle} aria-label={isPaused ? player.play : player.pause}>
        <Icon name={isPaused ? "play" : "pause"} />
      </button>
      <button type="button" onClick={onMute} aria-label={isMuted ? player.unmute : player.mute}>
        <Icon name={isMuted ? "silent" : "sound"} />
      </button>
      <input
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={isMuted ? 0 : volume}
        aria-label={player.volume}
        onInput={(event) => onVolume(event.currentTarget.valueAsNumber)}
      />
    </>
  );
}
