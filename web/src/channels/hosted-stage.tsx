import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { nameOf } from "../components/avatar.tsx";
import { Loaded } from "../components/loaded.tsx";
import { MatureGate } from "../components/mature-gate.tsx";
import { NoticeBar } from "../components/notice-bar.tsx";
import { Audience, type Broadcast } from "../live/player/audience.ts";
import { member } from "../site/live.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { useRead } from "../site/read.ts";
import { TEXTS } from "../texts/texts.ts";

type Props = {
  username: string;
  /** Of the channel that hosts it. */
  streamId: string;
  onBroadcast: (changed: Partial<Broadcast>) => void;
  player: (of: Schemas["Channel"]) => ComponentChildren;
};

/** The player of a hosted channel, until the channel itself goes live. */
export function HostedStage({ username, streamId, onBroadcast, player }: Props) {
  const read = useRead("getChannel", { path: { username } });
  useEffect(() => {
    const own = new Audience(member(), streamId, onBroadcast);
    return () => own.close();
  }, [streamId]);
  return <Loaded read={read}>{(of) => <MatureGate of={of.stream}>{player(of)}</MatureGate>}</Loaded>;
}

/** Whose broadcast is shown. */
export function HostBanner({ host, username }: { host: Schemas["ChannelProfile"]; username: string }) {
  const { channel } = TEXTS;
  return (
    <NoticeBar label={channel.hosting}>
      <p role="status" dir="auto">
        {channel.hosts(nameOf(host), username)}
      </p>
      <a class="button quiet" href={to(username)}>
        {channel.openHosted}
      </a>
    </NoticeBar>
  );
}
