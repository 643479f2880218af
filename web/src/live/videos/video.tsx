import { useSignal } from "@preact/signals";
import { Scissors } from "lucide";
import { useEffect } from "preact/hooks";
import { Avatar, nameOf } from "../../components/avatar.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { MatureGate, maySee } from "../../components/mature-gate.tsx";
import { Missing } from "../../components/missing.tsx";
import { formatDate } from "../../formats/dates.ts";
import { ReportButton } from "../../safety/report-button.tsx";
import type { ReportTarget } from "../../safety/report-dialog.tsx";
import { useTitle } from "../../site/navigation.ts";
import { publicAddress, type Schemas, site, to } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
import { client, me } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { useCutter } from "../clips/use-cutter.tsx";
import { ChatReplay } from "./chat-replay.tsx";
import { VideoMarkers } from "./video-markers.tsx";
import { VideoPlayer } from "./video-player.tsx";
import "./video.css";

/** A past broadcast with what was said during it. */
export function Video({ video_id }: { video_id: string }) {
  const { videos } = TEXTS;
  const read = useRead("getVideo", { path: { video_id } });
  useTitle(read.data?.title);
  return (
    <Loaded read={read} missing={<Missing title={videos.missing} hint={videos.missingHint} />}>
      {(video) => <Shown key={video.id} video={video} />}
    </Loaded>
  );
}

type VideoData = Schemas["Video"];
/** A recording may begin so much before its broadcast, by the service's clock. */
const EARLY_MS = 5_000;

function Shown({ video }: { video: VideoData }) {
  const { id, title, streamer, started_at, created_at, view_count, thumbnail_url } = video;
  const position = useSignal(0);
  const sought = useSignal<number | null>(null);
  const cutter = useCutter();
  const { report } = TEXTS;
  const source = useCutSource(video);
  useEffect(() => {
    // A view that isn't counted changes nothing for the viewer.
    client.attempt("viewVideo", { path: { video_id: id } }).catch(() => undefined);
  }, [id]);
  return (
    <div class="video-page">
      <div class="stage">
        <MatureGate of={video}>
          <VideoPlayer
            videoId={id}
            title={title}
            poster={thumbnail_url}
            position={position}
            sought={sought}
            isPaused={cutter.isOpen}
          />
        </MatureGate>
      </div>
      <header class="below">
        <h1 dir="auto">{title}</h1>
        <p class="quiet">{`${TEXTS.videos.views(view_count)} · ${formatDate(started_at ?? created_at)}`}</p>
        <a class="person" href={to(streamer.username)}>
          <Avatar user={streamer} />
          <bdi>{nameOf(streamer)}</bdi>
        </a>
        <div class="actions">
          {source && (
            <button
              type="button"
              class="button quiet"
              onClick={() =>
                cutter.open({ ...source, recording: { ...source.recording, position: position.peek() } })
              }
            >
              <Icon of={Scissors} />
              {TEXTS.player.clip}
            </button>
          )}
          <ReportButton
            of={streamer.id}
            target={targetOf(video)}
            details={report.aboutVideo(title, publicAddress(`/videos/${id}`))}
          />
        </div>
        {me.value?.id === streamer.id && (
          <VideoMarkers
            videoId={id}
            onSeek={(seconds) => {
              sought.value = seconds;
            }}
          />
        )}
      </header>
      <ChatReplay videoId={id} position={position} />
      {cutter.dialog}
    </div>
  );
}

/** Staff get reports of channels, not of videos. */
const targetOf = ({ stream_id, streamer }: VideoData): ReportTarget => {
  const name = nameOf(streamer);
  return stream_id === null
    ? { type: "user", id: streamer.id, name }
    : { type: "stream", id: stream_id, name };
};

/** What clips can be made of: a recording of the channel's current or last broadcast. Null for others, and for strangers. */
function useCutSource({
  id,
  stream_id: streamId,
  started_at: startedAt,
  title,
  duration_seconds,
  is_mature,
  streamer,
}: VideoData) {
  // The dialog shows the recording.
  const mayClip =
    me.value && site.makes_clips && maySee({ is_mature }) && streamId !== null && startedAt !== null;
  const read = useRead("getChannel", mayClip ? { path: { username: streamer.username } } : null);
  const broadcast = read.data?.broadcast;
  if (!mayClip || !broadcast) return null;
  const [from, began] = [Date.parse(startedAt), Date.parse(broadcast.started_at)];
  const ended = broadcast.ended_at === null ? Number.POSITIVE_INFINITY : Date.parse(broadcast.ended_at);
  // Its first picture may be made a moment before the service hears of the broadcast.
  if (from < began - EARLY_MS || from >= ended) return null;
  const recording = { videoId: id, startedAt, seconds: duration_seconds };
  return { streamId, username: streamer.username, title, recording };
}
