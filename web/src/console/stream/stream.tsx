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
      )}
    </Loaded>
  );
}
