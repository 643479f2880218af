import { useEffect, useMemo } from "preact/hooks";
import { FollowAlone } from "../../channels/follow-button.tsx";
import { ChannelChat } from "../../chat/channel-chat.tsx";
import type { FollowOf } from "../../chat/user-card.tsx";
import { nameOf } from "../../components/avatar.tsx";
import { member } from "../../site/live.ts";
import type { Me } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Panel } from "../panel.tsx";
import { ActivityFeed } from "./activity/activity-feed.tsx";
import { BroadcastPanel } from "./broadcast/broadcast-panel.tsx";
import { Desk } from "./desk.ts";
import { EncoderPanel } from "./encoder/encoder-panel.tsx";
import { InformationPanel } from "./information/information-panel.tsx";
import { MarkersPanel } from "./markers/markers-panel.tsx";
import type { OwnStream } from "./own-stream.ts";
import { BroadcastPlots } from "./plots/broadcast-plots.tsx";
import { PollPanel } from "./poll/poll-panel.tsx";
import { PredictionPanel } from "./prediction/prediction-panel.tsx";
import { RaidPanel } from "./raid/raid-panel.tsx";
import "./stream.css";

const followOf: FollowOf = (user) => <FollowAlone user={user} />;

type Props = { user: Me; stream: OwnStream; onStream: (stream: OwnStream) => void };

/** The tools of the stream page: the broadcast and what it is about, what viewers take part in, and the chat beside. */
export function StreamDesk({ user, stream, onStream }: Props) {
  const desk = useMemo(() => new Desk(member(), stream.id), [stream.id]);
  useEffect(() => () => desk.close(), [desk]);
  const isLive = stream.ingest.live_since !== null;
  return (
    <div class="stream-desk">
      <div class="column now">
        <BroadcastPanel stream={stream} viewers={desk.viewers} channelName={nameOf(user)} />
        <BroadcastPlots streamId={stream.id} />
        {!isLive && <EncoderPanel stream={stream} isFolded={false} onStream={onStream} />}
      </div>
      <div class="column acts">
        <PredictionPanel desk={desk} />
        <PollPanel desk={desk} />
        <RaidPanel desk={desk} user={user} stream={stream} isLive={isLive} />
        <ActivityFeed channel={{ streamId: stream.id, userId: user.id }} />
      </div>
      <div class="column about">
        <InformationPanel stream={stream} onStream={onStream} />
        <MarkersPanel streamId={stream.id} isLive={isLive} />
        {isLive && <EncoderPanel stream={stream} isFolded onStream={onStream} />}
      </div>
      <Panel title={TEXTS.channel.chat} kind="talk">
        <ChannelChat
          streamId={stream.id}
          channelName={nameOf(user)}
          owner={user}
          followOf={followOf}
          hasPanelsBeside
        />
      </Panel>
    </div>
  );
}
