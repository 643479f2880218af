// What other contexts of this row may know of channels.
export { actContent, actMessageRow } from "./act-message.ts";
export { refusalByBan } from "./bans.ts";
export { requireNoBlockBetween } from "./block-rules.ts";
export type { CategoryNames, ChannelCategories } from "./categories.ts";
export type { ChannelAccess } from "./channel-access.ts";
export {
  type ChannelRoles,
  createChannelRoles,
  isModerating,
  type MemberRole,
  mayActOn,
  mayGiveRoleTo,
  mayTakeRole,
  type TargetRole,
} from "./channel-roles.ts";
export type { Channels } from "./channels.ts";
export { changedModes } from "./chat-modes.ts";
export type { Following } from "./following.ts";
export { hostingRows, hostStarted } from "./host-view.ts";
export type { Pictures } from "./pictures/pictures.ts";
export { changeRoom, channelSource, type RoomChange, type RoomChanges } from "./room-changes.ts";
export { plannedTitles } from "./schedule/planned-titles.ts";
export { tagsFrom } from "./tags.ts";
export { instantOf, localTimeOf, timeOfDay } from "./time-zones/local-time.ts";
export { findZone, zoneOf } from "./time-zones/zones.ts";
export { streamCard } from "./view.ts";
export { NO_BARS, refusalByBars, type ViewerBars, viewerBarsIn } from "./viewer-bars.ts";
export type { ViewerTexts } from "./viewer-texts.ts";
