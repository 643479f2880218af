import { formatDuration } from "../../formats/durations.ts";
import { formatCount } from "../../formats/numbers.ts";
import { counted } from "./counted.ts";

/** Texts of a chat room. */
const room = {
  label: (channel: string) => `${channel}'s chat`,
  empty: "No messages yet.",
  disabled: "Chat is turned off.",
  slow: (seconds: number) => `Slow mode: ${formatDuration(seconds)}`,
  emoteOnly: "Emotes only",
  followersOnly: (minutes: number) =>
    minutes === 0 ? "Followers only" : `Followers only (${formatDuration(minutes * 60)})`,
  unique: "Unique messages only",
  shield: "Shield mode",
  newOnes: (count: number) =>
    count === 0 ? "Jump to newest" : count === 1 ? "1 new message" : `${count} new messages`,
  replyTo: (name: string) => `Reply to ${name}`,
  votes: (count: number) => counted(count, "vote", "votes"),
  pollEnded: "Poll ended",
  pollEnds: "Ends in",
  pollShare: (votes: number, total: number) =>
    `${total === 0 ? 0 : Math.round((100 * votes) / total)}% (${formatCount(votes)})`,
  pollWinner: "Winner",
  pollHint: "Vote on the channel's page.",
  poll: "Poll",
  foldCard: "Show less",
  unfoldPin: "Show message",
  unfoldPoll: "Show options",
  subscribed: (name: string, tier: number) => `${name} subscribed (tier ${tier}).`,
  gifted: (giver: string, name: string, tier: number) =>
    `${giver} gifted ${name} a tier ${tier} subscription.`,
  somebody: "Someone",
  tipped: (name: string, amount: string) => `${name} tipped ${amount}.`,
  tip: (amount: string) => `Tip: ${amount}`,
  redemption: (reward: string) => `Reward: ${reward}`,
  redeemed: (name: string, reward: string) => `${name} redeemed ${reward}.`,
  raided: (name: string, viewers: number, message: string | null) =>
    `${name} raids with ${counted(viewers, "viewer", "viewers")}${message === null ? "." : `: ${message}`}`,
  announcement: "Announcement",
  cleared: "The chat was cleared.",
  signIn: "Log in to chat",
  say: "Send a message",
  sayAs: (name: string) => `Send a message as ${name}`,
  send: "Send",
  leave: "Leave",
  sending: "Sending …",
  length: (count: number, most: number) => `${count} of ${most} characters`,
  invalid: "Your message is empty, or has characters that can't be sent.",
  longer: "Your message is too long.",
  tooLong: (over: number) => `Your message is ${counted(over, "character", "characters")} too long.`,
  held: "A moderator will review your message before others can see it.",
  notApproved: "Your message wasn't approved.",
  maybeApproved: "We can't tell whether your message was approved.",
  command: "Commands don't work here, except /me.",
  moderatorCommand: "Commands don't work here, except /me. Moderate on the channel's page.",
  notSent: "Your message wasn't sent. Try again.",
  isOff: "Chat is turned off. Your text stays here.",
  banned: "You are banned from this chat.",
  timedOut: (seconds: number) => `You are timed out for ${formatDuration(seconds)}.`,
  slowFor: (seconds: number) => `Slow mode is on. You can send in ${formatDuration(seconds)}.`,
  followFirst: (minutes: number) =>
    minutes === 0
      ? "Only followers can chat. Follow the channel first."
      : `Only viewers who have followed for ${formatDuration(minutes * 60)} can chat. Follow the channel first.`,
  followedFor: (minutes: number, seconds: number) =>
    `Only viewers who have followed for ${formatDuration(minutes * 60)} can chat. You can in ${formatDuration(seconds)}.`,
  waitFor: (reason: string, seconds: number) => `${reason} Try again in ${formatDuration(seconds)}.`,
  signedOut: "You're logged out of this chat.",
  accountBanned: "Your account is banned.",
};

/** Texts of writing in a chat with the tools of its channel's page, which embeds don't have. */
export const composer = {
  suggestions: "Suggestions",
  commands: {
    me: "Say what you do",
    timeout: "Time out a user",
    untimeout: "End a timeout",
    ban: "Ban a user",
    unban: "Lift a ban",
    clear: "Clear the chat",
    slow: "Turn on slow mode",
    slowoff: "Turn off slow mode",
    followers: "Turn on followers-only chat",
    followersoff: "Turn off followers-only chat",
    emoteonly: "Turn on emote-only chat",
    emoteonlyoff: "Turn off emote-only chat",
    uniquechat: "Turn on unique chat",
    uniquechatoff: "Turn off unique chat",
    shield: "Turn on shield mode",
    shieldoff: "Turn off shield mode",
    vip: "Make a user VIP",
    unvip: "Remove VIP",
    mod: "Make a user moderator",
    unmod: "Remove a moderator",
  } as Record<string, string>,
  commandDone: (command: string) => `Done: ${command}`,
  commandExpected: (rule: string) =>
    rule.startsWith("must be /") ? `Usage: ${rule.slice("must be ".length)}` : `This command ${rule}.`,
  noSuchCommand: (command: string) => `There is no command ${command}. Type / to see them all.`,
  clearAsked: "This deletes all messages for everyone. Send /clear again to do it.",
  noSuchUser: "No user has that name.",
  endReply: "Cancel reply",
  emotes: "Emotes",
  searchEmotes: "Search emotes",
  channelEmotes: "Channel emotes",
  globalEmotes: "Global emotes",
  emoteOfTier: (name: string, tier: number) => `${name}: Subscribe at tier ${tier} to use it`,
  noEmotes: "The emotes couldn't be loaded.",
  emptyEmotes: "There are no emotes here yet.",
  noSuchEmote: "No emote has that name.",
};

/** Texts of the lines of a chat, and of what stands above them. */
const lines = {
  answer: (name: string) => `Reply to ${name}`,
  replyToText: (name: string, text: string) => `Replying to ${name}: ${text}`,
  deleted: "Message deleted",
  linesByKey: "Press Enter, then the arrow keys to move between messages. Press Escape to leave.",
  pinned: "Pinned message",
  pin: "Pin message",
  unpin: "Unpin",
  ownVote: "Your vote",
  signInToVote: "Log in to vote.",
};

/** Texts of the card of a chat's user. */
export const userCard = {
  title: (name: string) => `User ${name}`,
  channel: "Open channel",
  follows: (since: string) => `Follows this channel since ${since}`,
  followsNot: "Doesn't follow this channel",
  roles: { owner: "Broadcaster", staff: "Staff", moderator: "Moderator", vip: "VIP" },
  recent: "Recent messages",
  noRecent: "No messages here yet.",
  whisper: "Whisper",
  whisperTo: (name: string) => `Whisper to ${name}`,
  whisperSent: (name: string) => `Whisper sent to ${name}.`,
  sendWhisper: "Send whisper",
  block: "Block",
  unblock: "Unblock",
  blocked: (name: string) => `You blocked ${name}.`,
  unblocked: (name: string) => `You unblocked ${name}.`,
  reply: "Reply",
  report: "Report",
  reportMessage: "Report message",
  moderate: "Moderate",
  timeOutFor: "Time out for",
  timedOut: (name: string, seconds: number) => `${name} is timed out for ${formatDuration(seconds)}.`,
  endTimeout: "End timeout",
  timeoutEnded: (name: string) => `${name} can chat again.`,
  ban: "Ban",
  banned: (name: string) => `${name} is banned.`,
  unban: "Unban",
  unbanned: (name: string) => `You unbanned ${name}.`,
  delete: "Delete message",
  deleted: "The message is deleted.",
  pinnedNow: "The message is pinned.",
  makeVip: "Make VIP",
  removeVip: "Remove VIP",
  makeModerator: "Make moderator",
  removeModerator: "Remove moderator",
  roleChanged: (name: string) => `The role of ${name} has changed.`,
};

/** Texts of the dialog for reports. */
export const report = {
  open: "Report",
  title: {
    user: (name: string) => `Report ${name}`,
    stream: (name: string) => `Report the channel ${name}`,
    clip: (name: string) => `Report the clip “${name}”`,
    chat_message: (name: string) => `Report a message from ${name}`,
  },
  reason: "What is wrong?",
  reasons: {
    spam: "Spam",
    harassment: "Harassment",
    hate: "Hate",
    sexual_content: "Sexual content",
    violence: "Violence",
    self_harm: "Self-harm",
    illegal: "Something illegal",
    other: "Something else",
  },
  details: "Details (optional)",
  detailsHint: "What happened, and when? Only staff read this.",
  aboutVideo: (title: string, address: string) => `About the video “${title}”: ${address}`,
  send: "Send report",
  sent: "Thank you. Your report was sent to the staff.",
};

export const chat = { ...room, ...lines };
