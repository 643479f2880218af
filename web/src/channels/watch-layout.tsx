import type { ComponentChildren } from "preact";
import { useCallback, useState } from "preact/hooks";
import { lazy } from "preact-iso";
import { ChannelChat } from "../chat/channel-chat.tsx";
import type { FollowOf } from "../chat/user-card.tsx";
import { nameOf } from "../components/avatar.tsx";
import { MatureGate } from "../components/mature-gate.tsx";
import type { Broadcast } from "../live/player/audience.ts";
import { member } from "../site/live.ts";
import type { Schemas } from "../site/page-data.ts";
import { me, session } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { type BroadcastState, update } from "./broadcast.ts";
import { FollowButton } from "./follow-button.tsx";
import { useNarrow } from "./narrow.ts";
import { Tabs } from "./tabs.tsx";
import { useTheatre } from "./theatre.ts";

const Player = lazy(async () => (await import("../live/player/site-player.tsx")).SitePlayer);

type Props = {
  user: Schemas["ChannelProfile"];
  stream: Schemas["Stream"];
  broadcast: BroadcastState;
  header: ComponentChildren;
};
const followOf: FollowOf = (user) => <FollowButton user={user} />;
type Tab = "chat" | "about";

/** The player with the chat beside it. On a narrow screen, chat and channel are tabs below it. */
export function WatchLayout({ user, stream, broadcast, header }: Props) {
  const [hasChat, setChat] = useState(true);
  const [tab, setTab] = useState<Tab>("chat");
  const isNarrow = useNarrow();
  const stage = useTheatre();
  const onBroadcast = useCallback((changed: Partial<Broadcast>) => update(broadcast, changed), []);
  const { channel } = TEXTS;
  const name = nameOf(user);
  // It is in what is hidden then.
  const hasNoHeading = isNarrow ? tab === "chat" : stage.isTheatre;
  const panel = (of: Tab) =>
    isNarrow ? ({ role: "tabpanel", "aria-labelledby": `tab-${of}`, hidden: tab !== of } as const) : {};
  return (
    <div class="watch" data-chat={hasChat} data-theatre={stage.isTheatre}>
      {hasNoHeading && (
        <h1 class="aloud" dir="auto">
          {name}
        </h1>
      )}
      <div class="stage">
        <MatureGate stream={stream}>
          <Player
            key={session.value}
            member={member()}
            streamId={stream.id}
            channelName={name}
            isAutomatic
            onBroadcast={onBroadcast}
            stage={stage}
          />
        </MatureGate>
      </div>
      {isNarrow && (
        <Tabs
          label={channel.tabs}
          tabs={[
            { id: "chat", text: channel.chat },
            { id: "about", text: channel.about },
          ]}
          chosen={tab}
          onChoose={setTab}
        />
      )}
      <div class="below" id="panel-about" {...panel("about")}>
        {header}
      </div>
      <section class="beside" id="panel-chat" aria-label={channel.chat} {...panel("chat")}>
        {!isNarrow && (
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
        )}
        {(hasChat || isNarrow) && me.value !== undefined && (
          <ChannelChat key={session.value} streamId={stream.id} channelName={name} followOf={followOf} />
        )}
      </section>
    </div>
  );
}
