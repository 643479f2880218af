import { counted } from "../counted.ts";

/** The queue of messages that wait for a moderator. */
const heldQueue = {
  title: "Held messages",
  empty: "Nothing waits. Messages that a term or shield mode holds appear here.",
  keys: "Keys: ↓ or j next, ↑ or k previous, a approve, d deny, t deny and time out, u undo, i card",
  count: (count: number) => counted(count, "message", "messages"),
  of: (name: string) => `Message of ${name}`,
  term: (term: string) => `Held for “${term}”`,
  link: "Held for a link",
  ends: "Expires in",
  approve: "Approve",
  approveOf: (name: string) => `Approve the message of ${name}`,
  deny: "Deny",
  denyOf: (name: string) => `Deny the message of ${name}`,
  timeout: "Time out",
  timeoutOf: (name: string, length: string) => `Deny the message of ${name} and time out for ${length}`,
  outcomes: {
    approved: (by: string) => `Approved by ${by}`,
    denied: (by: string) => `Denied by ${by}`,
    expired: "Expired: nobody decided in time",
    gone: "Decided or expired while you were offline",
  },
  somebody: "another moderator",
  next: "Next",
  more: (count: number) => `${counted(count, "more message", "more messages")} after these`,
  decisions: "Your last decisions",
  decided: {
    approve: (name: string) => `Approved ${name}`,
    deny: (name: string) => `Denied ${name}`,
    timeout: (name: string) => `Denied and timed out ${name}`,
    kept: (name: string) => `Denied ${name}, whose timeout ends later than a new one`,
    banned: (name: string) => `Denied ${name}, who is banned`,
  },
  undo: "Undo",
  undoOf: (name: string) => `Undo: delete the message of ${name}`,
  undone: "Deleted again",
  refusals: {
    gone: "This message doesn't wait any more.",
    approved: "Another moderator has approved this message already.",
    denied: "Another moderator has denied this message already.",
    expired: "This message has expired: nobody decided within five minutes.",
    timed_out: "Its author is timed out. Approve it once the timeout is over, or deny it.",
    banned: "Its author is banned, so it can't be approved.",
    author_gone: "Its author's account is gone, so it can't be approved.",
  } as Record<string, string> & { gone: string },
};

/** Questions before an act on a user. */
const acts = {
  timeOut: "Time out",
  timeOutTitle: (name: string) => `Time out ${name}?`,
  length: "For how long",
  asItIs: (end: string) => `Until ${end}, as it is`,
  ban: "Ban",
  nowUntil: (end: string) => `Another moderator timed them out until ${end}. Choose again, or keep that end.`,
  ended: "Their timeout has ended meanwhile. Choose a length to time them out again.",
  isBanned: (name: string) => `${name} is banned. Unban them first to give them a timeout instead.`,
  banTitle: (name: string) => `Ban ${name}?`,
  banHint: "They can't chat here until the ban is lifted, and their messages are deleted.",
  reason: "Reason (optional)",
  reasonHint: "Moderators see it in the log, and the user is told.",
};

const MOVE = [
  { press: ["↓", "j"], does: "Next" },
  { press: ["↑", "k"], does: "Previous" },
];

/** What the room's moderators know of a user. */
const card = {
  title: (name: string) => `Card of ${name}`,
  role: "Role",
  viewer: "Viewer",
  follows: "Follows since",
  followsNot: "Not following",
  points: "Channel points",
  now: "Status",
  free: "Can chat",
  banned: "Banned",
  timedOut: "Timed out for",
  messages: "Messages in this chat",
  deleteMessage: "Delete this message",
  actions: "Moderation history",
  noActions: "No actions against this user yet.",
};

/** What moderators noted about a user. */
const notes = {
  title: "Notes",
  empty: "No notes yet.",
  add: "New note",
  hint: "Only this channel's moderators read it.",
  go: "Add note",
  delete: "Delete",
  deleteOf: (author: string) => `Delete the note from ${author}`,
  deleteTitle: (author: string) => `Delete the note from ${author}?`,
  added: "Note added.",
  deleted: "Note deleted.",
};

/** Who is banned or timed out. */
const restrictions = {
  title: "Bans and timeouts",
  kind: "Show",
  kinds: { ban: "Bans", timeout: "Timeouts" },
  count: (kind: "ban" | "timeout", count: number) =>
    kind === "ban" ? counted(count, "ban", "bans") : counted(count, "timeout", "timeouts"),
  search: "Find by name",
  empty: { ban: "No one is banned.", timeout: "No one is timed out." },
  none: "No one found. If many names begin like this, type more letters.",
  unbanTitle: (name: string) => `Unban ${name}?`,
  endTitle: (name: string) => `End the timeout of ${name}?`,
  endHint: "They can chat here again at once.",
  by: "By",
  ends: "ends in",
  edit: "Edit",
  editOf: (name: string) => `Edit the restriction of ${name}`,
  unbanOf: (name: string) => `Unban ${name}`,
  endOf: (name: string) => `End the timeout of ${name}`,
  previous: "Previous",
  next: "Next",
  page: (page: number) => `Page ${page}`,
};

/** The moderation log. */
const log = {
  title: "Moderation log",
  empty: "No actions yet.",
  none: "No actions match these filters.",
  act: "Action",
  time: "Time",
  times: { hour: "Last hour", day: "Last 24 hours", week: "Last 7 days" },
  actor: "Moderator",
  target: "User",
  all: "All",
  go: "Filter",
  clear: "Clear filters",
  acts: {
    ban: "Ban",
    unban: "Unban",
    timeout: "Timeout",
    untimeout: "Timeout ended",
    mod: "Made moderator",
    unmod: "Removed as moderator",
    vip: "Made VIP",
    unvip: "Removed as VIP",
    clear: "Chat cleared",
    delete_message: "Message deleted",
    slow_on: "Slow mode on",
    slow_off: "Slow mode off",
    emote_only_on: "Emotes only on",
    emote_only_off: "Emotes only off",
    followers_only_on: "Followers only on",
    followers_only_off: "Followers only off",
    shield_on: "Shield mode on",
    shield_off: "Shield mode off",
  },
};

const CARD = { press: ["i"], does: "Open the author's card" };

/** All keys of the desk: those of a panel count while the focus is in it. */
const allKeys = {
  open: "Keys",
  title: "Keyboard shortcuts",
  groups: [
    {
      title: "Anywhere on this page",
      keys: [
        { press: ["c"], does: "Go to the chat" },
        { press: ["h"], does: "Go to held messages" },
        { press: ["r"], does: "Go to unban requests" },
        { press: ["s"], does: "Turn shield mode on, or ask to turn it off" },
        { press: ["?"], does: "Show these shortcuts" },
      ],
    },
    {
      title: "In the chat",
      keys: [
        ...MOVE,
        { press: ["d"], does: "Delete the message" },
        { press: ["t"], does: "Time out its author" },
        { press: ["b"], does: "Ban its author" },
        { press: ["i", "Enter"], does: "Open its author's card" },
        { press: ["Esc"], does: "Back to the newest message" },
      ],
    },
    {
      title: "In held messages",
      keys: [
        ...MOVE,
        { press: ["a"], does: "Approve" },
        { press: ["d"], does: "Deny" },
        { press: ["t"], does: "Deny and time out" },
        { press: ["u"], does: "Undo the last approval" },
        CARD,
      ],
    },
    {
      title: "In unban requests",
      keys: [...MOVE, { press: ["a"], does: "Approve" }, { press: ["d"], does: "Deny" }, CARD],
    },
    {
      title: "In a question about a timeout",
      keys: [
        { press: ["1", "–", "7"], does: "Choose the length" },
        { press: ["0"], does: "Keep the end of a timeout in force" },
        { press: ["Enter"], does: "Time out" },
      ],
    },
  ],
};

/** The page from which moderators run a channel's chat. */
export const moderation = {
  titleOf: (channel: string) => `Moderation · ${channel}`,
  signIn: "Log in to moderate this channel.",
  ofOwn: "Moderation",
  channel: "Open channel",
  roles: { owner: "You are the broadcaster", staff: "You are staff", moderator: "You are a moderator" },
  notYours: (channel: string) => `You don't moderate ${channel}'s chat`,
  notYoursHint: "Only the broadcaster and the channel's moderators can open this page.",
  toChannel: (channel: string) => `Go to ${channel}'s channel`,
  held: heldQueue,
  acts,
  allKeys,
  card,
  moderated: {
    title: "Channels",
    empty: "No one has made you a moderator yet.",
    live: (viewers: number) => `Live · ${counted(viewers, "viewer", "viewers")}`,
    offline: "Offline",
  },
  notes,
  restrictions,
  log,
  chat: {
    deleteOf: (name: string) => `Delete this message from ${name}`,
    timeOutOf: (name: string) => `Time out ${name}`,
    banOf: (name: string) => `Ban ${name}`,
    cardOf: (name: string) => `Open the card of ${name}`,
    tooFast:
      "Chat is too fast to read, so only a part of it is shown. A member's card has all of their messages.",
    sampled: (oneOf: number) => `Showing 1 of ${oneOf} messages.`,
  },
  shield: {
    turnOn: "Shield mode",
    isOn: "Shield mode is on",
    turnOff: "Turn off",
    offTitle: "Turn off shield mode?",
    offHint: "Your own chat modes apply again.",
    keep: "Keep it on",
  },
  unbanRequests: {
    title: "Unban requests",
    empty: "No one is waiting. New unban requests appear here.",
    off: "Unban requests are turned off.",
    keys: "Keys: ↓ or j next, ↑ or k previous, a approve, d deny, i card",
    count: (count: number) => counted(count, "request", "requests"),
    asked: (age: string) => `Asked ${age} ago`,
    askedNow: "Asked just now",
    banned: (age: string) => `Banned ${age} ago by`,
    bannedNow: "Banned just now by",
    reason: "Reason",
    noReason: "No reason given",
    unbannedSince: "The ban was just lifted.",
    of: (name: string) => `Unban request of ${name}`,
    approve: "Approve",
    approveOf: (name: string) => `Approve the unban request of ${name}`,
    deny: "Deny",
    denyOf: (name: string) => `Deny the unban request of ${name}`,
    approveTitle: (name: string) => `Unban ${name}?`,
    denyTitle: (name: string) => `Keep ${name} banned?`,
    note: (name: string) => `Note to ${name} (optional)`,
    noteHint: "They aren't told who decided.",
    approved: (name: string) => `${name} is unbanned.`,
    denied: (name: string) => `${name} stays banned.`,
    outcomes: {
      approved: (by: string) => `Approved by ${by}`,
      denied: (by: string) => `Denied by ${by}`,
      expired: "Expired: nobody decided, or the ban was lifted",
      gone: "Decided or expired while you were offline",
    },
    somebody: "another moderator",
    more: (count: number) => `${counted(count, "more request", "more requests")} after these`,
    takes: "Accept unban requests",
    turnedOn: "Banned viewers can send unban requests.",
    turnedOff: "Banned viewers can't send unban requests.",
  },
};
