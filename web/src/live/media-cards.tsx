import { formatClock } from "../formats/clock.ts";
import { formatDate } from "../formats/dates.ts";
import { hueOf } from "../formats/hue.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

type Props = {
  href: string;
  title: string;
  thumbnail: string | null;
  seconds: number;
  isMature: boolean;
  /** Below the title. */
  facts: string;
};

/** A recording or clip in a list. */
function MediaCard({ href, title, thumbnail, seconds, isMature, facts }: Props) {
  return (
    <li class="stream-card">
      <a href={href}>
        <div class="picture" style={{ "--hue": hueOf(title) }}>
          {thumbnail !== null && <img src={thumbnail} alt="" loading="lazy" width="320" height="180" />}
          <span class="badge viewers">{formatClock(seconds * 1_000)}</span>
          {isMature && <span class="badge mature">{TEXTS.mature.badge}</span>}
        </div>
        <p class="title" dir="auto" title={title}>
          {title}
        </p>
        <p class="quiet">{facts}</p>
      </a>
    </li>
  );
}

export const VideoCard = ({ video }: { video: Schemas["Video"] }) => (
  <MediaCard
    href={to(`/videos/${video.id}`)}
    title={video.title}
    thumbnail={video.thumbnail_url}
    seconds={video.duration_seconds}
    isMature={video.is_mature}
    facts={`${TEXTS.videos.views(video.view_count)} · ${formatDate(video.started_at ?? video.created_at)}`}
  />
);

export const ClipCard = ({ clip }: { clip: Schemas["Clip"] }) => (
  <MediaCard
    href={to(`/clips/${clip.id}`)}
    title={clip.title}
    thumbnail={clip.thumbnail_url ?? null}
    seconds={clip.duration}
    isMature={clip.is_mature}
    facts={`${TEXTS.videos.views(clip.views_count)} · ${formatDate(clip.created_at)}`}
  />
);
