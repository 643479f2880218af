import type { ChatSettingsResult, ChatSettingsUpdate } from "../../../contract/wire.ts";
import { effectiveModes, modesView } from "../../../realtime/rooms/state/modes.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type {
  InternalActionType,
  ModerationActionType,
} from "../../../store/mongo/chat/moderation-actions.ts";
import type { ChatModesDoc } from "../../../store/mongo/host/chat-modes.ts";
import { changedModes } from "../../channels/public.ts";
import { type ModerationLog, type ModeratorRequest, ROOM_RULE } from "./moderation-log.ts";

type SettingsDeps = {
  moderationLog: ModerationLog;
  /** Sockets in the room now. */
  connections(streamId: string): number | Promise<number>;
};

type LogType = ModerationActionType | InternalActionType;

type Settings = Pick<StreamDoc, "modes" | "takesUnbanRequests">;

/** Each mode with the log's action types for turning it on and off. */
const SWITCHES: [settingOf: (modes: ChatModesDoc) => unknown, on: LogType, off: LogType][] = [
  [(modes) => modes.slow && modes.slowSeconds, "slow_on", "slow_off"],
  [(modes) => modes.emoteOnly, "emote_only_on", "emote_only_off"],
  // 0 minutes is on: any follower may chat.
  [
    (modes) => modes.followersOnly && `${modes.followersMinutes} min`,
    "followers_only_on",
    "followers_only_off",
  ],
  [(modes) => modes.shieldMode, "shield_on", "shield_off"],
  [(modes) => modes.chatEnabled, "chat_on", "chat_off"],
  [(modes) => modes.uniqueChat, "unique_chat_on", "unique_chat_off"],
];

function changesBetween(before: Settings, after: Required<Settings>): LogType[] {
  const ofModes = SWITCHES.flatMap(([settingOf, on, off]) => {
    if (settingOf(before.modes) === settingOf(after.modes)) return [];
    return [settingOf(after.modes) ? on : off];
  });
  const { takesUnbanRequests } = after;
  if ((before.takesUnbanRequests ?? true) === takesUnbanRequests) return ofModes;
  return [...ofModes, takesUnbanRequests ? "unban_requests_on" : "unban_requests_off"];
}

/** Changes base settings. While Redis is unavailable they are saved, and the room is notified later; the answer says so. */
export function createSettingsActions({ moderationLog, connections }: SettingsDeps) {
  return {
    async update(moderating: ModeratorRequest, change: ChatSettingsUpdate): Promise<ChatSettingsResult> {
      const { streamId, by } = moderating;
      let isChanged = false;
      const { published } = await moderationLog.record(moderating, ROOM_RULE, async (stream) => {
        const modes = changedModes(stream.modes, change);
        const takesUnbanRequests = change.unban_requests ?? stream.takesUnbanRequests ?? true;
        const log = changesBetween(stream, { modes, takesUnbanRequests }).map((action) =>
          moderationLog.entry(stream, { by, targetId: null }, { action }),
        );
        // A transaction may run more than once.
        isChanged = log.length > 0;
        if (!isChanged) return null;
        return {
          modes,
          takesUnbanRequests,
          log,
          effects: [{ kind: "modes", modes }],
          events: [{ type: "chat.modes", data: modesView(effectiveModes(modes)) }],
        };
      });
      return {
        success: true,
        message: published
          ? "Chat settings saved."
          : "Chat settings saved; the room will hear of them shortly.",
        saved_to_db: true,
        saved_to_redis: published,
        broadcast_sent: published && isChanged,
        connections: published ? await connections(streamId) : 0,
      };
    },
  };
}

export type SettingsActions = ReturnType<typeof createSettingsActions>;
