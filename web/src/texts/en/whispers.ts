import { formatCount } from "../../formats/numbers.ts";

/** Texts of private messages. */
export const whispers = {
  title: "Whispers",
  signIn: "Log in to whisper.",
  unread: (count: number) => `Whispers, ${formatCount(count)} unread`,
  unreadOf: (count: number) => `${formatCount(count)} unread`,
  list: "Conversations",
  none: "You have no whispers yet.",
  noneHint: "Enter a username above, or open the card of someone in a chat.",
  choose: "Choose a conversation, or start one.",
  start: "Whisper to a user",
  startHint: "Username",
  open: "Start",
  back: "All whispers",
  with: (name: string) => `Whispers with ${name}`,
  fromYou: "You",
  first: (name: string) => `This is the beginning of your whispers with ${name}.`,
  older: "Show older whispers",
  olderFailed: (why: string) => `Older whispers couldn't be loaded. ${why}`,
  field: (name: string) => `Whisper to ${name}`,
  send: "Send",
  notSent: (why: string) => `Your whisper wasn't sent. ${why}`,
  refusals: {
    blocked: (name: string) =>
      `You or ${name} blocked the other. If it was you, unblock ${name} to whisper again.`,
    forbidden: (name: string) => `${name} is banned here and can't get whispers.`,
    email_not_verified: "Verify your email address first. The link is in the email that we sent you.",
    verify: "Go to your account settings",
  },
  blocked: (name: string) => `You blocked ${name}. Unblock to whisper again.`,
  missing: "User not found",
  missingHint: "The name may be mistyped, or the account may be gone.",
  self: "You can't whisper to yourself",
  selfHint: "Choose someone else.",
  all: (name: string) => `Open your whispers with ${name}`,
};
