import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { retried } from "../billing/checkout.ts";
import { ChannelChat } from "../chat/channel-chat.tsx";
import type { FollowOf } from "../chat/user-card.tsx";
import { nameOf } from "../components/avatar.tsx";
import { MatureGate } from "../components/mature-gate.tsx";
import { Tabs } from "../components/tabs.tsx";
import { useCutter } from "../live/clips/use-cutter.tsx";
import type { Broadcast } from "../live/player/audience.ts";
import { ChannelPlayer } from "../live/player/channel-player.tsx";
import { cameWith } from "../raids/arrival.ts";
import { ArrivalBanner } from "../raids/arrival-banner.tsx";
import { OutgoingRaid } from "../raids/outgoing-raid.ts";
import { RaidBanner } from "../raids/raid-banner.tsx";
import { member } from "../site/live.ts";
import { type Schemas, site, to } from "../site/page-data.ts";
import { me, session } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { type BroadcastState, update } from "./broadcast.ts";
import { FollowAlone } from "./follow-button.tsx";
import { HostBanner, HostedStage } from "./hosted-stage.tsx";
import { Hosting } from "./hosting.ts";
import { useNarrow } from "./narrow.ts";
import { useTheatre } from "./theatre.ts";

type Props = {
  known: Schemas["Channel"];
  broadcast: BroadcastState;
  header: ComponentChildren;
};
const followOf: FollowOf = (user) => <FollowAlone user={user} />;
/** A channel whose broadcast is shown. */
type Shown = Pick<Schemas["Channel"], "profile" | "stream">;
type Tab = "chat" | "about";

/** The player with the chat beside it. On a narrow screen, chat and channel are tabs below it. */
export function WatchLayout({ known, broadcast, header }: Props) {
  const { profile: user, stream } = known;
  const [hasChat, setChat] = useState(true);
  const [tab, setTab] = useState<Tab>("chat");
  const isNarrow = useNarrow();
  const stage = useTheatre();
  const onBroadcast = useCallback((changed: Partial<Broadcast>) => update(broadcast, changed), []);
  const { route } = useLocation();
  const { raid, hosting, parts } = useMemo(() => {
    const raid = new OutgoingRaid(stream.id, (update) => {
      cameWith(update);
      route(to(update.target_user.username));
    });
    const hosting = new Hosting(known);
    return { raid, hosting, parts: [raid, hosting] };
  }, [stream.id]);
  useEffect(() => () => raid.close(), [raid]);
  const hosted = broadcast.isLive.value ? null : hosting.target.value;
  const cutter = useCutter();
  const clip = (of: Shown) =>
    cutter.open({
      streamId: of.stream.id,
      username: of.profile.username,
      title: of.stream.name,
      recording: null,
    });
  const playerOf = (of: Shown, onChange?: typeof onBroadcast) => (
    <ChannelPlayer
      key={`${session.value} ${of.stream.id}`}
      wasLive={of.stream.is_live}
      member={member()}
      streamId={of.stream.id}
      channelName={nameOf(of.profile)}
      isAutomatic
      {...(onChange && { onBroadcast: onChange })}
      stage={stage}
      onClip={me.value && site.makes_clips ? () => clip(of) : null}
      isSilenced={cutter.isOpen}
    />
  );
  // The dialog that it opens is in that panel.
  if (retried.value !== null && tab === "chat") setTab("about");
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
        {hosted ? (
          <HostedStage
            key={`${session.value} ${hosted.id}`}
            username={hosted.username}
            streamId={stream.id}
            onBroadcast={onBroadcast}
            player={playerOf}
          />
        ) : (
          <MatureGate of={stream}>{playerOf(known, onBroadcast)}</MatureGate>
        )}
      </div>
      <div class="notices">
        <ArrivalBanner userId={user.id} />
        <RaidBanner raid={raid} viewers={broadcast.viewers} />
        {hosted && <HostBanner host={user} username={hosted.username} />}
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
        {/* Hidden, the room goes on: its raids and what it hosts are for everybody on this page. */}
        <div class="room" hidden={!hasChat && !isNarrow}>
          {me.value !== undefined && (
            <ChannelChat
              key={session.value}
              streamId={stream.id}
              channelName={name}
              owner={user}
              followOf={followOf}
              parts={parts}
            />
          )}
        </div>
      </section>
      {cutter.dialog}
    </div>
  );
}
