import { nameOf } from "../components/avatar.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Missing } from "../components/missing.tsx";
import { WhenNear } from "../components/when-near.tsx";
import { useTitle } from "../site/navigation.ts";
import type { Schemas } from "../site/page-data.ts";
import { useRead } from "../site/read.ts";
import { TEXTS } from "../texts/texts.ts";
import { useBroadcast } from "./broadcast.ts";
import { ChannelHeader } from "./channel-header.tsx";
import { ChannelClips, PastBroadcasts } from "./channel-media.tsx";
import { ChannelSchedule } from "./channel-schedule.tsx";
import { WatchLayout } from "./watch-layout.tsx";
import "./channel.css";

/** A channel: its broadcast with the chat beside it, who they are, and what they did before. */
export function Channel({ username }: { username: string }) {
  const name = username.toLowerCase();
  return <OfName key={name} username={name} />;
}

function OfName({ username }: { username: string }) {
  const { channel } = TEXTS;
  const read = useRead("getChannel", { path: { username } }, { isForAll: true });
  const profile = read.data?.profile;
  useTitle(profile && nameOf(profile));
  return (
    <Loaded read={read} missing={<Missing title={channel.missing} hint={channel.missingHint} />}>
      {(known) => <Watch known={known} />}
    </Loaded>
  );
}

function Watch({ known }: { known: Schemas["Channel"] }) {
  const { profile, stream } = known;
  const broadcast = useBroadcast(stream);
  return (
    <WatchLayout
      known={known}
      broadcast={broadcast}
      header={
        <>
          <ChannelHeader known={known} broadcast={broadcast} />
          <WhenNear>
            <ChannelSchedule username={profile.username} />
          </WhenNear>
          <WhenNear>
            <PastBroadcasts username={profile.username} />
          </WhenNear>
          <WhenNear>
            <ChannelClips username={profile.username} />
          </WhenNear>
        </>
      }
    />
  );
}
