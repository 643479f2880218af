import { TEXTS } from "../../texts/embedded.ts";
import type { Broadcast } from "./audience.ts";
import { Icon } from "./icons.tsx";
import type { Picture } from "./video.ts";

type CardProps = Omit<Broadcast, "viewers" | "since"> & {
  channelName: string;
  picture: Picture;
  isAutomatic: boolean;
  onPlay: () => void;
};
/** Without the next of its video. */
const INTERRUPTED: readonly Picture[] = ["starting", "stalled", "failed"];

/** The text or button that is shown instead of the video. */
export function Card({ channelName, isLive, isGone, isOffline, picture, isAutomatic, onPlay }: CardProps) {
  const { player } = TEXTS;
  if (isGone) return <Notice text={TEXTS.gone} />;
  if (isOffline && (!isLive || INTERRUPTED.includes(picture))) return <Notice text={TEXTS.reconnecting} />;
  if (isLive === null) return <Notice text={TEXTS.connecting} />;
  const offlineHint = isAutomatic ? player.offlineHint : player.offlineByHand;
  if (!isLive) return <Notice text={player.offline(channelName)} hint={offlineHint} />;
  if (picture === "starting") return <Notice text={player.starting} />;
  if (picture === "waiting")
    return (
      <button type="button" class="card" onClick={onPlay} aria-label={player.playLive(channelName)}>
        <Icon name="play" />
      </button>
    );
  if (picture === "stalled") return <Notice text={player.stalled} />;
  if (picture === "failed") return <Notice text={player.failed} />;
  if (picture === "unsupported") return <Notice text={player.unsupported} />;
  return null;
}

function Notice({ text, hint }: { text: string; hint?: string }) {
  return (
    <div class="card" role="status">
      <p dir="auto">{text}</p>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  );
}
