import type { ChatModesDoc } from "../../store/mongo/streams.ts";

/** What a settings request asks for; a field that is absent stays as it is. */
export type ChatModesChange = {
  chat_enabled?: boolean | undefined;
  slow?: number | null | undefined;
  emote_only?: boolean | undefined;
  followers_only?: number | null | undefined;
  unique_chat?: boolean | undefined;
  shield_mode?: boolean | undefined;
};

/** Base settings after the change. Switching slow or followers-only off keeps its last figure for next time. */
export function changedModes(modes: ChatModesDoc, change: ChatModesChange): ChatModesDoc {
  const { slow, followers_only: followers } = change;
  return {
    chatEnabled: change.chat_enabled ?? modes.chatEnabled,
    slow: slow === undefined ? modes.slow : slow !== null,
    slowSeconds: slow ?? modes.slowSeconds,
    followersOnly: followers === undefined ? modes.followersOnly : followers !== null,
    followersMinutes: followers ?? modes.followersMinutes,
    emoteOnly: change.emote_only ?? modes.emoteOnly,
    uniqueChat: change.unique_chat ?? modes.uniqueChat,
    shieldMode: change.shield_mode ?? modes.shieldMode,
  };
}
