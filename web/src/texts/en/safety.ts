import { counted } from "./counted.ts";

/** Asking staff to take something back. */
export const appeal = {
  title: "Appeal",
  hint: "If you think this is a mistake, write why. Staff read it and decide again.",
  label: "Your appeal",
  rule: "20 to 2,000 characters.",
  send: "Send appeal",
};

/** What staff have done about the user, and what came of the user's own appeals and reports. */
export const standing = {
  strikes: "Strikes",
  strikesHint: "A strike counts for 90 days. An account with three strikes is banned.",
  noStrikes: "You have no strikes.",
  inForce: (count: number, most: number) => `${count} of ${counted(most, "strike", "strikes")}`,
  given: (date: string) => `Given ${date}`,
  counts: (date: string) => `counts until ${date}`,
  expired: (date: string) => `expired ${date}`,
  revoked: (date: string) => `removed ${date}`,
  appeal: "Appeal",
  appealOfStrike: (date: string) => `Appeal the strike of ${date}`,
  appealOfChat: (channel: string) => `Appeal the timeout in ${channel}'s chat`,
  isAppealed: "Appealed",
  appealSent:
    "Your appeal was sent. You'll find the decision here, and get it by email if your address is verified.",
  chats: "Chat bans and timeouts",
  noChats: "You can write in every chat.",
  goneChannel: "A channel that is gone",
  banned: (date: string) => `Banned since ${date}`,
  timedOut: (moment: string) => `Timed out until ${moment}`,
  byStaff: "Set by staff of this service",
  byChannel: "Set by the channel. Ask its moderators to lift it.",
  appeals: "Your appeals",
  noAppeals: "You haven't appealed anything.",
  subjects: { ban: "Account ban", strike: "Strike", chat_ban: "Chat timeout" },
  appealed: (date: string) => `Sent ${date}`,
  appealStates: {
    open: "Waiting for staff",
    claimed: "Staff are looking at it",
    granted: "Accepted",
    denied: "Declined",
  },
  answer: "Staff response",
  reports: "Your reports",
  reportsHint: "Report a user, a channel, a clip or a message where you see it. Staff decide what to do.",
  noReports: "You haven't reported anything.",
  targets: { user: "A user", stream: "A channel", clip: "A clip", chat_message: "A chat message" },
  reported: (date: string) => `Reported ${date}`,
  reportStates: {
    open: "Waiting for staff",
    reviewing: "Staff are looking at it",
    actioned: "Staff acted on it",
    dismissed: "No action needed",
  },
};

/** Writing to the operator. */
export const support = {
  title: "Support",
  hint: "Write to the people who run this service. We reply by email.",
  kind: "What is it about?",
  kinds: { support: "I need help", dmca: "My work is used without permission" },
  email: "Your email address",
  emailHint: "We'll reply to this address.",
  subject: "Subject",
  message: "Message",
  work: "Your work",
  workHint: "What was copied, and where the original can be seen.",
  urls: "Where it is used",
  urlsHint: "Addresses of pages on this service, one on each line.",
  goodFaith:
    "I believe in good faith that this use isn't allowed by the owner of the rights, their agent or the law, and that what I write here is true. I am the owner of the rights, or authorised to act for them.",
  signature: "Signature",
  signatureHint: "Your full name. It signs this notice.",
  send: "Send",
  sentTitle: "Your message was sent",
  sent: (email: string) => `We'll reply to ${email}.`,
  reference: (id: string) => `Reference: ${id}`,
  again: "Write another message",
  standing: "Appeal a strike or a chat ban in the settings",
};
