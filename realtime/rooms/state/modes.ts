import type { ChatModes } from "../../../contract/wire.ts";
import type { ChatModesDoc } from "../../../store/mongo/host/chat-modes.ts";

/** Shield mode's minimum of each, whatever the channel has set. */
const SHIELD = { slowSeconds: 10, followersMinutes: 10 } as const;

/** The rules in force in a room. `slow` in seconds and `followers` in minutes are null when off. */
export type EffectiveModes = {
  enabled: boolean;
  slow: number | null;
  followers: number | null;
  emote: boolean;
  unique: boolean;
  shield: boolean;
};

/** Shield mode is an overlay: the stricter of its minimum and the unchanged base settings. */
export function effectiveModes(modes: ChatModesDoc): EffectiveModes {
  const slow = modes.slow ? modes.slowSeconds : null;
  const followers = modes.followersOnly ? modes.followersMinutes : null;
  return {
    enabled: modes.chatEnabled,
    slow: modes.shieldMode ? Math.max(slow ?? 0, SHIELD.slowSeconds) : slow,
    followers: modes.shieldMode ? Math.max(followers ?? 0, SHIELD.followersMinutes) : followers,
    emote: modes.emoteOnly,
    unique: modes.uniqueChat || modes.shieldMode,
    shield: modes.shieldMode,
  };
}

export function modesView(modes: EffectiveModes): ChatModes {
  return {
    chat_enabled: modes.enabled,
    slow: modes.slow,
    emote_only: modes.emote,
    followers_only: modes.followers,
    unique_chat: modes.unique,
    shield_mode: modes.shield,
  };
}
