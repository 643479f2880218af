import { useState } from "preact/hooks";
import { nameOf } from "../../components/avatar.tsx";
import { PagedRows } from "../../components/paged-rows.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import { EditClip } from "../../live/clips/edit-clip.tsx";
import { usePaged } from "../../site/paged.tsx";
import { client } from "../../site/session.ts";
import { ConsolePage } from "../console-page.tsx";
import { Panel } from "../panel.tsx";
import { EditVideo } from "./edit-video.tsx";
import { RecordedRow } from "./recorded-row.tsx";
import { useEdited } from "./use-edited.ts";
import "./videos.css";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

/** The channel's past broadcasts and clips, with those that others don't see. */
export const VideosConsole = () => (
  <ConsolePage section="videos">
    {({ username }) => (
      <div class="panels">
        <Videos username={username} />
        <Clips username={username} />
      </div>
    )}
  </ConsolePage>
);

type Props = { username: string };

function Videos({ username }: Props) {
  const texts = CONSOLE_TEXTS.videos;
  const list = useEdited(usePaged("listVideos", { path: { username } }));
  const [removing, setRemoving] = useState<string | null>(null);
  const removed = list.pages.items.find((one) => one.id === removing);
  return (
    <Panel title={texts.videos}>
      <PagedRows pages={list.pages} empty={texts.noVideos}>
        {(video) => (
          <RecordedRow
            key={video.id}
            recorded={{
              ...video,
              picture: video.thumbnail_url,
              seconds: video.duration_seconds,
              views: video.view_count,
              at: video.started_at ?? video.created_at,
              by: null,
            }}
            path={`/videos/${video.id}`}
            onEdit={() => list.edit(video)}
            onRemove={() => setRemoving(video.id)}
          />
        )}
      </PagedRows>
      {list.edited && <EditVideo video={list.edited} onChange={list.change} onClose={list.close} />}
      {removed && (
        <RemovalDialog
          title={texts.removeTitle(removed.title)}
          hint={texts.removeHint}
          go={texts.remove}
          said={texts.removed(removed.title)}
          remove={() => client.call("deleteVideo", { path: { video_id: removed.id } })}
          onRemoved={() => list.drop(removed.id)}
          onClose={() => setRemoving(null)}
        />
      )}
    </Panel>
  );
}

function Clips({ username }: Props) {
  const texts = CONSOLE_TEXTS.videos;
  const list = useEdited(usePaged("listUserClips", { path: { username }, query: { sort: "recent" } }));
  const [removing, setRemoving] = useState<string | null>(null);
  const removed = list.pages.items.find((one) => one.id === removing);
  return (
    <Panel title={texts.clips}>
      <PagedRows pages={list.pages} empty={texts.noClips}>
        {(clip) => (
          <RecordedRow
            key={clip.id}
            recorded={{
              ...clip,
              picture: clip.thumbnail_url ?? null,
              seconds: clip.duration,
              views: clip.views_count,
              at: clip.created_at,
              by: clip.creator && nameOf(clip.creator),
            }}
            path={`/clips/${clip.id}`}
            onEdit={() => list.edit(clip)}
            onRemove={() => setRemoving(clip.id)}
          />
        )}
      </PagedRows>
      {list.edited && <EditClip clip={list.edited} onChange={list.change} onClose={list.close} />}
      {removed && (
        <RemovalDialog
          title={texts.removeTitle(removed.title)}
          hint={texts.removeHint}
          go={texts.remove}
          said={texts.removed(removed.title)}
          remove={() => client.call("deleteClip", { path: { clip_id: removed.id } })}
          onRemoved={() => list.drop(removed.id)}
          onClose={() => setRemoving(null)}
        />
      )}
    </Panel>
  );
}
