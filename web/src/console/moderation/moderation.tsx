import { useRef } from "preact/hooks";
import { Avatar, nameOf } from "../../components/avatar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Missing } from "../../components/missing.tsx";
import { SignInFirst } from "../../components/sign-in-first.tsx";
import { useTitle } from "../../site/navigation.ts";
import { type Schemas, to } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { ModesPanel } from "../chat/modes-panel.tsx";
import { TermsPanel } from "../chat/terms-panel.tsx";
import { useRoomTopic, whenRoomMissed } from "../room-topic.ts";
import { ChatPanel } from "./chat/chat-panel.tsx";
import { type Desk, useDesk } from "./desk.ts";
import { DeskActs } from "./desk-acts.tsx";
import { HeldPanel } from "./held/held-panel.tsx";
import { DeskElement } from "./keys/desk-keys.ts";
import { KeysButton } from "./keys/keys-button.tsx";
import { LiveMarkers } from "./live-markers.tsx";
import { LogPanel } from "./log/log-panel.tsx";
import { RestrictionsPanel } from "./restrictions/restrictions-panel.tsx";
import { UnbanRequests } from "./unban-requests.tsx";
import "./moderation.css";

/** A moderator's desk for one channel, one's own or another: panels beside each other. */
export function ModerationDesk({ username }: { username: string }) {
  const { moderationDesk } = TEXTS;
  const name = username.toLowerCase();
  return (
    <div class="page moderation-desk">
      <SignInFirst title={moderationDesk.title} why={CONSOLE_TEXTS.moderation.signIn}>
        <OfName key={name} username={name} />
      </SignInFirst>
    </div>
  );
}

function OfName({ username }: { username: string }) {
  const { channel, moderationDesk } = TEXTS;
  const read = useRead("getChannel", { path: { username } }, { isForAll: true });
  const profile = read.data?.profile;
  useTitle(profile ? CONSOLE_TEXTS.moderation.titleOf(nameOf(profile)) : moderationDesk.title);
  return (
    <Loaded read={read} missing={<Missing title={channel.missing} hint={channel.missingHint} />}>
      {({ profile, stream }) => <OfChannel profile={profile} streamId={stream.id} />}
    </Loaded>
  );
}

type ChannelProps = { profile: Schemas["ChannelProfile"]; streamId: string };

/** The desk itself, for those who moderate the channel; the role may be given and taken while it is open. */
function OfChannel({ profile, streamId }: ChannelProps) {
  const room = useRead("getChatRoom", { path: { stream_id: streamId } });
  useRoomTopic(streamId, (topic) => [
    // The role isn't told again after a lost connection.
    ...whenRoomMissed(topic, room.again),
    topic.on("room.standing", room.again),
  ]);
  return (
    <Loaded read={room}>
      {({ role, unban_requests }) => {
        if (role === null || role === "vip") return <NotYours profile={profile} />;
        return (
          <DeskActs streamId={streamId} owner={{ id: profile.id, username: profile.username }} role={role}>
            <Panels
              profile={profile}
              role={role}
              takesRequests={unban_requests}
              onSwitch={(isOn) => room.change((before) => ({ ...before, unban_requests: isOn }))}
            />
          </DeskActs>
        );
      }}
    </Loaded>
  );
}

type PanelsProps = Pick<ChannelProps, "profile"> & {
  role: Desk["role"];
  takesRequests: boolean;
  onSwitch: (isOn: boolean) => void;
};

function Panels({ profile, role, takesRequests, onSwitch }: PanelsProps) {
  const { moderation } = CONSOLE_TEXTS;
  const { streamId } = useDesk();
  const element = useRef<HTMLDivElement>(null);
  return (
    <DeskElement.Provider value={element}>
      {/* A press beside its controls leaves the focus within, so that its keys count. */}
      <div class="desk" ref={element} tabIndex={-1}>
        <header>
          <Avatar user={profile} />
          <div class="of">
            <h1>{TEXTS.moderationDesk.title}</h1>
            <p>
              <bdi>{nameOf(profile)}</bdi> <span class="quiet">· {moderation.roles[role]}</span>
            </p>
          </div>
          <KeysButton />
          <a class="button quiet" href={to(profile.username)}>
            {moderation.channel}
          </a>
        </header>
        <div class="columns">
          <ChatPanel channelName={nameOf(profile)} />
          <div class="column waiting">
            <HeldPanel streamId={streamId} />
            <UnbanRequests
              streamId={streamId}
              takesRequests={takesRequests}
              isOwner={role === "owner"}
              onSwitch={onSwitch}
            />
            <RestrictionsPanel />
            <LogPanel />
          </div>
          <div class="column">
            <ModesPanel streamId={streamId} />
            <TermsPanel streamId={streamId} />
            {/* Below the others: it comes and goes with the broadcast, and moves none of them. */}
            <LiveMarkers streamId={streamId} />
          </div>
        </div>
      </div>
    </DeskElement.Provider>
  );
}

function NotYours({ profile }: { profile: Schemas["ChannelProfile"] }) {
  const { moderation } = CONSOLE_TEXTS;
  const name = nameOf(profile);
  return (
    <div class="empty">
      <h1 dir="auto">{moderation.notYours(name)}</h1>
      <p>{moderation.notYoursHint}</p>
      <a class="button" href={to(profile.username)}>
        {moderation.toChannel(name)}
      </a>
    </div>
  );
}
