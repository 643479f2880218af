import { TEXTS } from "../../texts/embedded.ts";
import { Icon } from "./icons.tsx";
import { PlayAndSound, type PlayAndSoundProps } from "./play-and-sound.tsx";
import type { LiveVideo } from "./video.ts";

type Props = PlayAndSoundProps & {
  viewers: number;
  /** Whether what is shown may be over already. */
  isStale: boolean;
  video: LiveVideo | null;
  onQuality: (index: number) => void;
  onFullscreen: () => void;
  /** Null where there is nothing around the player. */
  stage: Stage | null;
  /** Null for viewers who can't. */
  onClip: (() => void) | null;
  onPictureInPicture: () => void;
};

/** The page around a player, which can give it more room. */
export type Stage = { isTheatre: boolean; onTheatre: () => void; onFullscreen: () => void };

/** The control bar below the video. */
export function Controls(props: Props) {
  const { viewers, isStale, video, stage } = props;
  const { player } = TEXTS;
  return (
    <div class="controls">
      <PlayAndSound {...props} />
      {!isStale && <b class="live">{player.live}</b>}
      <span class="viewers">{player.viewers(viewers)}</span>
      {video !== null && video.qualities.length > 1 && (
        <select
          aria-label={player.quality}
          value={video.chosen}
          onChange={(event) => props.onQuality(Number(event.currentTarget.value))}
        >
          <option value={-1}>{player.automatic}</option>
          {video.qualities.map(({ index, label }) => (
            <option key={index} value={index}>
              {label}
            </option>
          ))}
        </select>
      )}
      {props.onClip && (
        <button
          type="button"
          onClick={props.onClip}
          aria-label={player.clip}
          title={player.clip}
          aria-keyshortcuts="c"
        >
          <Icon name="clip" />
        </button>
      )}
      {stage && <StageButtons stage={stage} onPictureInPicture={props.onPictureInPicture} />}
      <button
        type="button"
        onClick={props.onFullscreen}
        aria-label={player.fullscreen}
        title={player.fullscreen}
      >
        <Icon name="fullscreen" />
      </button>
    </div>
  );
}

function StageButtons({ stage, onPictureInPicture }: { stage: Stage; onPictureInPicture: () => void }) {
  const { player } = TEXTS;
  const theatre = stage.isTheatre ? player.endTheatre : player.theatre;
  return (
    <>
      {document.pictureInPictureEnabled && (
        <button
          type="button"
          onClick={onPictureInPicture}
          aria-label={player.pictureInPicture}
          title={player.pictureInPicture}
        >
          <Icon name="inset" />
        </button>
      )}
      <button
        type="button"
        class="theatre"
        onClick={stage.onTheatre}
        aria-label={theatre}
        title={theatre}
        aria-keyshortcuts="t"
      >
        <Icon name="theatre" />
      </button>
      <button
        type="button"
        class="theatre"
        onClick={stage.onFullscreen}
        aria-label={player.fullscreenWithChat}
        title={player.fullscreenWithChat}
      >
        <Icon name="beside" />
      </button>
    </>
  );
}
