import { formatDuration } from "../../formats/durations.ts";
import { formatCount } from "../../formats/numbers.ts";

/** Texts of recordings and clips. */
export const videos = {
  title: "Past broadcasts",
  empty: "There are no past broadcasts yet.",
  views: (count: number) => `${formatCount(count)} ${count === 1 ? "view" : "views"}`,
  label: (title: string) => `Video: ${title}`,
  chat: "Chat replay",
  noChat: "No messages at this point.",
  chatFailed: "The chat couldn't be loaded.",
  seek: "Seek",
  markers: "Markers",
  loading: "The video is loading …",
  failed: "The video can't be played right now.",
  unsupported: "This browser can't play this video.",
  missing: "Video not found",
  missingHint: "It may be private, or it was deleted.",
};

export const clips = {
  title: "Clips",
  empty: "There are no clips yet.",
  label: (title: string) => `Clip: ${title}`,
  like: "Like",
  liked: "Liked",
  likes: (count: number) => `${formatCount(count)} ${count === 1 ? "like" : "likes"}`,
  from: (name: string) => `Clip from ${name}`,
  by: "Clipped by",
  watchLive: "Watch live",
  processing: "This clip is being created. It appears here automatically.",
  failed: "This clip couldn't be created.",
  missing: "Clip not found",
  missingHint: "It may be private, or it was deleted.",
};

export const schedule = {
  title: "Schedule",
  empty: "No streams are planned.",
  zone: (zone: string) => `Times are in ${zone}.`,
  addToCalendar: "Add to calendar",
  next: (when: string) => `Next stream: ${when}`,
  last: (when: string) => `Last stream: ${when}`,
  watch: (name: string) => `Watch ${name}`,
  lasts: (seconds: number) => formatDuration(seconds),
};
