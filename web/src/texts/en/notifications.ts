import { formatMoney } from "../../formats/money.ts";
import { counted } from "./counted.ts";

/** Names are null where an account is gone or wants to stay unnamed. */
type Names = { actor: string | null; channel: string | null; recipient: string | null };
type Tier = Names & { tier: number };
const who = (name: string | null): string => name ?? "Someone";

/** What each kind says. */
const kinds = {
  stream_live: ({ actor }: Names) => `${who(actor)} is live.`,
  mention: ({ actor, channel }: Names) => `${who(actor)} mentioned you in ${who(channel)}'s chat.`,
  follower: ({ actor }: Names) => `${who(actor)} follows you.`,
  raid: ({ actor, viewers }: Names & { viewers: number }) =>
    `${who(actor)} raided you with ${counted(viewers, "viewer", "viewers")}.`,
  clip: ({ actor }: Names) => `${who(actor)} created a clip of your stream.`,
  subscription: ({ actor, tier }: Tier) => `${who(actor)} subscribed at tier ${tier}.`,
  gift: ({ actor, recipient, tier }: Tier) =>
    `${who(actor)} gifted ${who(recipient)} a tier ${tier} subscription.`,
  gift_received: ({ actor, channel, tier }: Tier) =>
    `${who(actor)} gifted you a tier ${tier} subscription to ${who(channel)}.`,
  tip: ({ actor, amount, currency }: Names & { amount: number; currency: string }) =>
    `${who(actor)} sent you ${formatMoney(amount, currency)}.`,
  unban_request: ({ channel, isApproved }: Names & { isApproved: boolean }) =>
    isApproved
      ? `Your unban request was approved. You can chat in ${who(channel)}'s chat again.`
      : `Your unban request was denied. You stay banned from ${who(channel)}'s chat.`,
};

export const notifications = {
  title: "Notifications",
  signIn: "Log in to see your notifications.",
  empty: "You have no notifications.",
  emptyHint: "When a channel that you follow goes live, or someone follows you, it appears here.",
  settings: "Notification settings",
  markAll: "Mark all as read",
  allRead: "All notifications are marked as read.",
  isNew: "New",
  read: "Mark as read",
  delete: "Delete",
  actOn: (act: string, text: string) => `${act}: ${text}`,
  more: "Show older notifications",
  all: "Show all",
  kinds,
  preferences: {
    what: "Notify me about",
    whatHint: "What you turn off doesn't appear in your list either.",
    types: {
      stream_live: ["Live channels", "A channel that you follow goes live"],
      mentions: ["Mentions", "Someone mentions you in a chat"],
      followers: ["Followers", "Someone follows you"],
      raids: ["Raids", "A raid arrives at your channel"],
      clips: ["Clips", "Someone creates a clip of your stream"],
      subscriptions: ["Subscriptions", "Someone subscribes to you, or gifts you a subscription"],
      donations: ["Tips", "Someone sends you a tip"],
      unban_requests: ["Unban requests", "Moderators approve or deny your unban request"],
    },
    ways: "Also notify me by",
    push_enabled: ["Push notifications", "On each device where you turned it on"],
    email: "Email",
    emailHint: (email: string) => `To ${email}`,
    unverified: "Verify your email address to get these emails.",
    verify: "Go to your account settings",
    quiet: "Quiet hours",
    quietHint: "Push and email wait until the quiet hours end, then arrive as one message.",
    quietOn: "Use quiet hours",
    from: "From",
    until: "Until",
    zone: "Time zone",
    same: "Choose an end that differs from the start.",
    saved: "Saved.",
    notSaved: (why: string) => `Your change wasn't saved. ${why}`,
  },
};

/** Texts of push notifications. */
export const push = {
  title: "This device",
  hint: "Get notifications on this device even when this site is closed.",
  on: "Notifications are on for this device.",
  turnOn: "Turn on notifications on this device",
  turnOff: "Turn off on this device",
  turnedOn: "Notifications are on for this device.",
  turnedOff: "Notifications are off for this device.",
  blocked: "This browser blocks notifications from this site.",
  blockedHint:
    "To allow them, open the site settings beside the address bar, set notifications to “Allow”, then reload this page.",
  dismissed: "The browser didn't get your permission. Press the button again, then choose “Allow”.",
  unsupported:
    "This browser can't show push notifications. On an iPhone or iPad, add this site to the home screen first.",
  unavailable: "This site doesn't send push notifications.",
  failed: "The browser's push service can't be reached. Try again later.",
  devices: "Devices with push notifications",
  devicesHint: "A device is removed by itself when you log out on it.",
  none: "No device gets push notifications yet.",
  here: "This device",
  unknown: "Unknown device",
  last: (when: string) => `Last used ${when}`,
  remove: "Remove",
  removeOf: (name: string) => `Remove ${name}`,
  removed: "The device was removed.",
};
