import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "../../components/copy-button.tsx";
import { publicAddress, to } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
import { TEXTS } from "../../texts/texts.ts";
import { readyClips } from "./ready-clips.ts";

/** How often it is looked at, and for how long: mostly it is there after seconds. */
const LOOK_MS = 2_000;
const MOST_LOOKS = 90;

type Props = { clipId: string; onAgain: () => void; onClose: () => void };

/** What becomes of a clip that was just asked for: it is being made, ready, or couldn't be made. */
export function MadeClip({ clipId, onAgain, onClose }: Props) {
  const { clipCutter, clips } = TEXTS;
  const { data: clip, again } = useRead("getClip", { path: { clip_id: clipId } });
  const [looks, setLooks] = useState(0);
  const status = clip?.status ?? "processing";
  useEffect(() => {
    if (status !== "processing" || looks === MOST_LOOKS) return;
    const timer = setTimeout(() => {
      setLooks(looks + 1);
      again();
    }, LOOK_MS);
    return () => clearTimeout(timer);
  }, [status, looks]);
  useEffect(() => {
    if (status === "ready") readyClips.value++;
  }, [status]);
  if (status === "failed") {
    return (
      <div class="made">
        <p role="alert">{clipCutter.failed}</p>
        <div class="actions">
          <button type="button" class="button" onClick={onAgain}>
            {clipCutter.again}
          </button>
        </div>
      </div>
    );
  }
  const isReady = clip?.status === "ready";
  const waits = looks === MOST_LOOKS ? clipCutter.takesLong : clipCutter.making;
  const path = `/clips/${clipId}`;
  return (
    <div class="made">
      {isReady && clip.video_url !== undefined && (
        <video
          controls
          playsInline
          src={clip.video_url}
          aria-label={clips.label(clip.title)}
          {...(clip.thumbnail_url === undefined ? {} : { poster: clip.thumbnail_url })}
        />
      )}
      <p role="status" aria-busy={!isReady}>
        {isReady ? clipCutter.ready : waits}
      </p>
      <div class="actions">
        <button type="button" class="button quiet" onClick={onClose}>
          {clipCutter.done}
        </button>
        <CopyButton label={clipCutter.copyLink} text={publicAddress(path)} />
        <a class="button" href={to(path)}>
          {clipCutter.openClip}
        </a>
      </div>
    </div>
  );
}
