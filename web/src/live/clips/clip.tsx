import { Heart } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import { Avatar, nameOf } from "../../components/avatar.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { MatureGate } from "../../components/mature-gate.tsx";
import { Missing } from "../../components/missing.tsx";
import { useOneAtATime } from "../../components/one-at-a-time.ts";
import { signInAddress } from "../../components/sign-in-first.tsx";
import { formatDate } from "../../formats/dates.ts";
import { ReportButton } from "../../safety/report-button.tsx";
import { useTitle } from "../../site/navigation.ts";
import { type Schemas, to } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { client, me } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { RecordedPlayer } from "../player/recorded-player.tsx";
import { ClipActs } from "./clip-acts.tsx";
import "./clip.css";

type ClipData = Schemas["Clip"];

/** While it is being cut, how often the page looks whether it is ready. */
const LOOK_MS = 3_000;

/** A moment of a broadcast. */
export function Clip({ clip_id }: { clip_id: string }) {
  const { clips } = TEXTS;
  const read = useRead("getClip", { path: { clip_id } });
  const isProcessing = read.data?.status === "processing";
  useTitle(read.data?.title);
  useEffect(() => {
    if (!isProcessing) return;
    const timer = setInterval(read.again, LOOK_MS);
    return () => clearInterval(timer);
  }, [isProcessing]);
  return (
    <Loaded read={read} missing={<Missing title={clips.missing} hint={clips.missingHint} />}>
      {(clip) => <Shown key={clip.id} clip={clip} onChange={(changed) => read.change(() => changed)} />}
    </Loaded>
  );
}

function Shown({ clip, onChange }: { clip: ClipData; onChange: (changed: ClipData) => void }) {
  const { clips, videos } = TEXTS;
  const { id, title, status, video_url, thumbnail_url, streamer, views_count, created_at } = clip;
  const isReady = status === "ready";
  const video = useRef<HTMLVideoElement>(null);
  const channel = useRead("getChannel", { path: { username: streamer.username } }, { isForAll: true });
  useEffect(() => {
    // A view that isn't counted changes nothing for the viewer.
    if (isReady) client.attempt("viewClip", { path: { clip_id: id } }).catch(() => undefined);
  }, [id, isReady]);
  return (
    <article class="clip-page">
      {isReady && video_url !== undefined ? (
        <MatureGate of={clip}>
          <div class="stage">
            <RecordedPlayer
              video={video}
              label={clips.label(title)}
              src={video_url}
              {...(thumbnail_url === undefined ? {} : { poster: thumbnail_url })}
            />
          </div>
        </MatureGate>
      ) : (
        <p class="note" role="status">
          {status === "failed" ? clips.failed : clips.processing}
        </p>
      )}
      <h1 dir="auto">{title}</h1>
      <p class="quiet">
        {`${videos.views(views_count)} · ${formatDate(created_at)}`}
        {clip.creator && (
          <>
            {` · ${clips.by} `}
            <a href={to(clip.creator.username)}>
              <bdi>{nameOf(clip.creator)}</bdi>
            </a>
          </>
        )}
      </p>
      <div class="acts">
        <a class="person" href={to(streamer.username)}>
          <Avatar user={streamer} />
          <bdi>{nameOf(streamer)}</bdi>
        </a>
        {channel.data?.stream.is_live && (
          <a class="button" href={to(streamer.username)}>
            {clips.watchLive}
          </a>
        )}
        <LikeButton clip={clip} />
        <ClipActs clip={clip} onChange={onChange} />
        <ReportButton of={clip.user_id} target={{ type: "clip", id, name: title }} />
      </div>
      {clip.description !== "" && <p dir="auto">{clip.description}</p>}
    </article>
  );
}

/** Shows the change at once, and takes it back with the reason where it was refused. */
function LikeButton({ clip }: { clip: ClipData }) {
  const { clips } = TEXTS;
  const [isLiked, setLiked] = useState(clip.liked ?? false);
  const { isBusy, run } = useOneAtATime();
  const before = clip.likes_count - (clip.liked ? 1 : 0);
  const count = <span class="quiet">{clips.likes(before + (isLiked ? 1 : 0))}</span>;
  if (!me.value) {
    return (
      <>
        <a class="button quiet" href={signInAddress()}>
          <Icon of={Heart} />
          {clips.like}
        </a>
        {count}
      </>
    );
  }
  const change = async (): Promise<void> => {
    const wanted = !isLiked;
    setLiked(wanted);
    try {
      await client.call(wanted ? "likeClip" : "unlikeClip", { path: { clip_id: clip.id } });
    } catch (err) {
      setLiked(!wanted);
      say(problemOf(err), { isProblem: true });
    }
  };
  return (
    <>
      <button
        type="button"
        class={isLiked ? "button" : "button quiet"}
        aria-pressed={isLiked}
        aria-disabled={isBusy}
        onClick={() => void run(change)}
      >
        <Icon of={Heart} />
        {isLiked ? clips.liked : clips.like}
      </button>
      {count}
    </>
  );
}
