import { useMemo } from "preact/hooks";
import { FollowAlone } from "../../../channels/follow-button.tsx";
import { ChannelChat, type ChatDesk } from "../../../chat/channel-chat.tsx";
import type { FollowOf } from "../../../chat/user-card.tsx";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { Panel } from "../../panel.tsx";
import { useDesk } from "../desk.ts";
import { lineTools } from "./line-tools.tsx";
import { ShieldButton } from "./shield.tsx";
import { useSample } from "./use-sample.ts";
import "./chat-panel.css";

const followOf: FollowOf = (user) => <FollowAlone user={user} />;

/** The channel's chat, with a moderator's acts on each line. */
export function ChatPanel({ channelName }: { channelName: string }) {
  const { streamId, owner, openCard, askTimeout, askBan } = useDesk();
  const texts = CONSOLE_TEXTS.moderation.chat;
  const { sampling, oneOf } = useSample();
  const desk = useMemo<ChatDesk>(
    () => ({
      toolsOf: (room) => lineTools(room, { timeOut: askTimeout, ban: askBan }),
      openCard,
      sampling,
    }),
    [],
  );
  return (
    <Panel title={TEXTS.channel.chat} kind="talk" aside={<ShieldButton streamId={streamId} />}>
      <p class="sampled">
        {/* Said once: the figure changes each second. */}
        <span role="status">{oneOf > 1 && texts.tooFast}</span>
        {oneOf > 1 && ` ${texts.sampled(oneOf)}`}
      </p>
      <ChannelChat
        streamId={streamId}
        channelName={channelName}
        owner={owner}
        followOf={followOf}
        desk={desk}
      />
    </Panel>
  );
}
