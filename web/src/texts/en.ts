import { formatCount } from "../formats/numbers.ts";
import { accounts, mailed } from "./en/accounts.ts";
import { billing } from "./en/billing.ts";
import { channel } from "./en/channel.ts";
import { composer, report, userCard } from "./en/chat.ts";
import { clipCutter } from "./en/clips.ts";
import { creatorConsole, moderationDesk } from "./en/console.ts";
import { categories, following, home, search } from "./en/discovery.ts";
import { embedded } from "./en/embedded.ts";
import { frame } from "./en/frame.ts";
import { ledger } from "./en/ledger.ts";
import { clips, schedule, videos } from "./en/live.ts";
import { notifications, push } from "./en/notifications.ts";
import { mature } from "./en/player.ts";
import { channelPoints, prediction } from "./en/points.ts";
import { raids } from "./en/raids.ts";
import { appeal, standing, support } from "./en/safety.ts";
import { settings } from "./en/settings.ts";
import { staff } from "./en/staff.ts";
import { unbanRequest } from "./en/unban-request.ts";
import { whispers } from "./en/whispers.ts";

/** All texts in English, by key; those of a part are in its file. Another language has the same keys. */
export const EN = {
  ...embedded,
  composer,
  console: creatorConsole,
  moderationDesk,
  staff,
  unbanRequest,
  loading: "Loading …",
  tryAgain: "Try again",
  show: "Show",
  cancel: "Cancel",
  close: "Close",
  more: "Show more",
  viewers: (count: number) => `${formatCount(count)} ${count === 1 ? "viewer" : "viewers"}`,
  followers: (count: number) => `${formatCount(count)} ${count === 1 ? "follower" : "followers"}`,
  reasons: {
    category: "You watch this category",
    language: "In a language that you watch",
    followed_in_common: "Followed by channels that you follow",
  },
  unsaved: {
    title: "Discard your changes?",
    hint: "What you changed on this page isn't saved yet.",
    stay: "Keep editing",
    discard: "Discard",
  },
  problems: {
    unreachable: "We can't reach the server. Check your connection, then try again.",
    wrongPassword: "The current password is wrong.",
    broken: "Something went wrong on this page. Reload it, then try again.",
    busy: "The server is busy. Try again in a moment.",
    signedOut: "You're logged out. Log in again.",
    otherSession: "You logged in or out in another tab. Try again once this page has reloaded.",
    invalid: (fault: string) => `Something isn't right: it ${fault}.`,
    field: (name: string, fault: string) => `${name} ${fault}.`,
    names: {
      username: "This username",
      username_title: "This name",
      email: "This address",
      password: "This password",
      new_password: "This password",
      link: "This link",
      other: "This",
    },
    waitFor: (message: string, wait: string) => `${message} Try again in ${wait}.`,
    pageFailed: "This page couldn't be shown.",
    partFailed: "This couldn't be loaded. Try again, or reload the page.",
    reload: "Reload the page",
  },
  notFound: {
    title: "Page not found",
    hint: "The address may be mistyped, or the channel may be gone.",
    home: "Go to the home page",
  },
  frame,
  home,
  categories,
  search,
  following,
  channel,
  billing,
  ledger,
  mature,
  userCard,
  report,
  points: channelPoints,
  prediction,
  videos,
  clips,
  clipCutter,
  schedule,
  raids,
  accounts,
  mailed,
  settings,
  notifications,
  push,
  whispers,
  appeal,
  standing,
  support,
};
