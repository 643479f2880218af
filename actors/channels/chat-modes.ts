import type { ChatSettingsUpdate } from "../../contract/wire.ts";
import type { ChatModesDoc } from "../../store/mongo/host/chat-modes.ts";

/** The base settings after the change; absent fields stay unchanged. Slow and followers-only keep their value when turned off. */
export function changedModes(modes: ChatModesDoc, change: ChatSettingsUpdate): ChatModesDoc {
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
