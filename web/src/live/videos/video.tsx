import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Avatar, nameOf } from "../../components/avatar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { MatureGate } from "../../components/mature-gate.tsx";
import { Missing } from "../../components/missing.tsx";
import { formatDay } from "../../formats/days.ts";
import { useTitle } from "../../site/navigation.ts";
import { type Schemas, to } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { ChatReplay } from "./chat-replay.tsx";
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

function Shown({ video }: { video: Schemas["Video"] }) {
  const { id, title, streamer, started_at, created_at, view_count, thumbnail_url } = video;
  const position = useSignal(0);
  useEffect(() => {
    // A view that isn't counted changes nothing for the viewer.
    client.attempt("viewVideo", { path: { video_id: id } }).catch(() => undefined);
  }, [id]);
  return (
    <div class="video-page">
      <div class="stage">
        <MatureGate stream={video}>
          <VideoPlayer videoId={id} title={title} poster={thumbnail_url} position={position} />
        </MatureGate>
      </div>
      <header class="below">
        <h1 dir="auto">{title}</h1>
        <p class="quiet">{`${TEXTS.videos.views(view_count)} · ${formatDay(started_at ?? created_at)}`}</p>
        <a class="person" href={to(streamer.username)}>
          <Avatar user={streamer} />
          <bdi>{nameOf(streamer)}</bdi>
        </a>
      </header>
      <ChatReplay videoId={id} position={position} />
    </div>
  );
}
