import { Avatar } from "../components/avatar.tsx";
import { StreamGrid } from "../components/stream-card.tsx";
import { ClipCard, VideoCard } from "../live/media-cards.tsx";
import { ADA, clipOf, HOSTILE, LONG, streamOf, videoOf, WIDE } from "./made-up.ts";
import { Shelf, Specimen } from "./specimen.tsx";

/** What stands in lists. */
export const CardShelf = () => (
  <Shelf title="Cards">
    <Specimen name="Avatars">
      <div class="actions">
        <Avatar user={ADA} />
        <Avatar user={WIDE} isLarge />
      </div>
    </Specimen>
    <Specimen name="Channels">
      <StreamGrid
        streams={[
          streamOf({ id: "live" }),
          streamOf({ id: "offline", is_live: false, is_mature: true }),
          streamOf({ id: "long", name: LONG, user: WIDE, tags: [LONG.slice(0, 25), "x"] }),
          streamOf({ id: "hostile", name: HOSTILE, recommended_for: "followed_in_common" }),
        ]}
      />
    </Specimen>
    <Specimen name="Videos and clips">
      <ul class="grid">
        <VideoCard video={videoOf()} />
        <VideoCard video={videoOf({ title: LONG })} />
        <ClipCard clip={clipOf({ title: HOSTILE })} />
      </ul>
    </Specimen>
  </Shelf>
);
