import { activity, broadcastPlots, plots } from "./en/console/activity.ts";
import { analytics } from "./en/console/analytics.ts";
import { consoleChat } from "./en/console/chat.ts";
import { consoleEmotes } from "./en/console/emotes.ts";
import { consoleIncome } from "./en/console/income.ts";
import { markers } from "./en/console/markers.ts";
import { moderation } from "./en/console/moderation.ts";
import { consoleOverlays } from "./en/console/overlays.ts";
import { consoleRaids } from "./en/console/raids.ts";
import { consoleRewards } from "./en/console/rewards.ts";
import { consoleRoles } from "./en/console/roles.ts";
import { consoleSchedule } from "./en/console/schedule.ts";
import { streamConsole } from "./en/console/stream.ts";
import { consoleVideos } from "./en/console/videos.ts";

/** The texts of the console in English, by key: those of a page are in its file. Another language has the same keys. */
export const EN_CONSOLE = {
  chat: consoleChat,
  emotes: consoleEmotes,
  income: consoleIncome,
  overlays: consoleOverlays,
  raids: consoleRaids,
  rewards: consoleRewards,
  roles: consoleRoles,
  schedule: consoleSchedule,
  videos: consoleVideos,
  activity,
  plots,
  broadcastPlots,
  analytics,
  stream: streamConsole,
  markers,
  moderation,
};
