import { useEffect, useRef } from "preact/hooks";
import { Loaded } from "../components/loaded.tsx";
import { readyClips } from "../live/clips/ready-clips.ts";
import { ClipCard, VideoCard } from "../live/media-cards.tsx";
import { More, usePaged } from "../site/paged.tsx";
import { TEXTS } from "../texts/texts.ts";

type Props = { username: string };

/** What the channel broadcast before. */
export function PastBroadcasts({ username }: Props) {
  const { videos } = TEXTS;
  const pages = usePaged("listVideos", { path: { username } });
  return (
    <section class="channel-section" aria-label={videos.title}>
      <h2>{videos.title}</h2>
      <Loaded read={pages.first}>
        {() =>
          pages.items.length === 0 ? (
            <p class="quiet">{videos.empty}</p>
          ) : (
            <ul class="grid">
              {pages.items.map((video) => (
                <VideoCard key={video.id} video={video} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </section>
  );
}

/** Its best moments, those first that are watched now. */
export function ChannelClips({ username }: Props) {
  const { clips } = TEXTS;
  const pages = usePaged("listUserClips", { path: { username } });
  const readBefore = useRef(readyClips.value);
  useEffect(() => {
    if (readyClips.value !== readBefore.current) pages.first.again();
  }, [readyClips.value]);
  return (
    <section class="channel-section" aria-label={clips.title}>
      <h2>{clips.title}</h2>
      <Loaded read={pages.first}>
        {() =>
          pages.items.length === 0 ? (
            <p class="quiet">{clips.empty}</p>
          ) : (
            <ul class="grid">
              {pages.items.map((clip) => (
                <ClipCard key={clip.id} clip={clip} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </section>
  );
}
