import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { lazy } from "preact-iso";
import { ChannelChat } from "../chat/channel-chat.tsx";
import { nameOf } from "../components/avatar.tsx";
import type { Broadcast } from "../live/player/audience.ts";
import { member } from "../site/live.ts";
import type { Schemas } from "../site/page-data.ts";
import { me, session } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import type { BroadcastState } from "./broadcast.ts";
import { MatureGate } from "./mature-gate.tsx";

const Player = lazy(async () => (await import("../live/player/site-player.tsx")).SitePlayer);

type Props = {
  user: Schemas["PublicProfile"];
  stream: Schemas["Stream"];
  broadcast: BroadcastState;
  header: ComponentChildren;
};

/** The player with the chat beside it, or below it on a narrow screen. */
export function WatchLayout({ user, stream, broadcast, header }: Props) {
  const [hasChat, setChat] = useState(true);
  const { channel } = TEXTS;
  const name = nameOf(user);
  const update = ({ isLive, viewers }: Partial<Broadcast>): void => {
    if (typeof isLive === "boolean") broadcast.isLive.value = isLive;
    if (viewers !== undefined) broadcast.viewers.value = viewers;
  };
  return (
    <div class="watch" data-chat={hasChat}>
      <div class="stage">
        <MatureGate stream={stream}>
          <Player
            key={session.value}
            member={member()}
            streamId={stream.id}
            channelName={name}
            isAutomatic
            isMuted
            onBroadcast={update}
          />
        </MatureGate>
      </div>
      <div class="below">{header}</div>
      <aside class="beside" aria-label={channel.chat}>
        <header>
          <h2>{channel.chat}</h2>
          <button
            type="button"
            class="button quiet"
            aria-expanded={hasChat}
            onClick={() => setChat(!hasChat)}
          >
            {hasChat ? channel.hideChat : channel.showChat}
          </button>
        </header>
        {hasChat && me.value !== undefined && (
          <ChannelChat key={session.value} streamId={stream.id} channelName={name} />
        )}
      </aside>
    </div>
  );
}
