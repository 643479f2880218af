import { Loaded } from "../../components/loaded.tsx";
import { useRead } from "../../site/read.ts";
import type { Me } from "../../site/session.ts";
import { ConsolePage } from "../console-page.tsx";
import { ActivityFeed } from "./activity/activity-feed.tsx";
import { BroadcastPlots } from "./plots/broadcast-plots.tsx";

/** What a creator looks at before and during a broadcast. */
export function StreamConsole() {
  return <ConsolePage section="stream">{(user) => <Own user={user} />}</ConsolePage>;
}

function Own({ user }: { user: Me }) {
  const read = useRead("getUserStream", { path: { username: user.username } });
  return (
    <Loaded read={read}>
      {({ id: streamId }) => (
        <>
          <ActivityFeed channel={{ streamId, userId: user.id }} />
          <BroadcastPlots streamId={streamId} />
        </>
import { type Me, session } from "../../site/session.ts";
import { ConsolePage } from "../console-page.tsx";
import { useOwnStream } from "./own-stream.ts";
import { StreamDesk } from "./stream-desk.tsx";

/** What a creator looks at before and during a broadcast. */
export function StreamConsole() {
  return <ConsolePage section="stream">{(user) => <Own key={session.value} user={user} />}</ConsolePage>;
}

function Own({ user }: { user: Me }) {
  const read = useOwnStream();
  return (
    <Loaded read={read}>
      {(stream) => (
        <StreamDesk key={stream.id} user={user} stream={stream} onStream={(now) => read.change(() => now)} />
      )}
    </Loaded>
  );
}
