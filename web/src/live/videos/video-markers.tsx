import { formatClock } from "../../formats/clock.ts";
import { usePaged } from "../../site/paged.tsx";
import { TEXTS } from "../../texts/texts.ts";

type Props = {
  videoId: string;
  /** Goes there in the video, in seconds. */
  onSeek: (seconds: number) => void;
};

/** The moments that were marked during the broadcast, for its creator. Nothing without any. */
export function VideoMarkers({ videoId, onSeek }: Props) {
  const { videos, more } = TEXTS;
  const pages = usePaged("listVideoMarkers", { path: { video_id: videoId } });
  if (pages.items.length === 0) return null;
  return (
    <section class="markers-of" aria-label={videos.markers}>
      <h2>{videos.markers}</h2>
      <ol>
        {pages.items.map(({ id, position_seconds, description }) => (
          <li key={id}>
            <button type="button" class="button quiet" onClick={() => onSeek(position_seconds)}>
              <b>{formatClock(position_seconds * 1_000)}</b>{" "}
              {description !== null && <span dir="auto">{description}</span>}
            </button>
          </li>
        ))}
      </ol>
      {pages.hasMore && (
        <button type="button" class="button quiet" aria-disabled={pages.isLoading} onClick={pages.more}>
          {more}
        </button>
      )}
    </section>
  );
}
