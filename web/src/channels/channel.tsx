import { nameOf } from "../components/avatar.tsx";
import { Loaded } from "../components/loaded.tsx";
import { useTitle } from "../site/navigation.ts";
import type { Schemas } from "../site/page-data.ts";
import { to } from "../site/page-data.ts";
import { useRead } from "../site/read.ts";
import { TEXTS } from "../texts/texts.ts";
import { useBroadcast } from "./broadcast.ts";
import { ChannelHeader } from "./channel-header.tsx";
import { WatchLayout } from "./watch-layout.tsx";
import "./channel.css";

/** A channel: its broadcast with the chat beside it, who they are, and what they did before. */
export function Channel({ username }: { username: string }) {
  const name = username.toLowerCase();
  return <OfName key={name} username={name} />;
}

function OfName({ username }: { username: string }) {
  const input = { path: { username } };
  const profile = useRead("getPublicProfile", input);
  const stream = useRead("getUserStream", input);
  useTitle(profile.data && nameOf(profile.data));
  return (
    <Loaded read={profile} missing={<Missing />}>
      {(user) => <Loaded read={stream}>{(known) => <Watch user={user} stream={known} />}</Loaded>}
    </Loaded>
  );
}

function Watch({ user, stream }: { user: Schemas["PublicProfile"]; stream: Schemas["Stream"] }) {
  const broadcast = useBroadcast(stream);
  return (
    <WatchLayout
      user={user}
      stream={stream}
      broadcast={broadcast}
      header={<ChannelHeader user={user} stream={stream} broadcast={broadcast} />}
    />
  );
}

function Missing() {
  const { channel, notFound } = TEXTS;
  return (
    <div class="empty">
      <h1>{channel.missing}</h1>
      <p>{channel.missingHint}</p>
      <a class="button" href={to("/")}>
        {notFound.home}
      </a>
    </div>
  );
}
