import { Loaded } from "../../components/loaded.tsx";
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
