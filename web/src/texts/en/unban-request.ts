/** What a banned user sees in place of the message field, and asks the moderators. */
export const unbanRequest = {
  banned: (channel: string) => `You are banned from ${channel}'s chat.`,
  reason: "Reason",
  open: "Request unban",
  title: (channel: string) => `Ask ${channel}'s moderators to unban you`,
  message: "Message",
  messageHint: "Say why you should be unbanned. Only the moderators read this.",
  send: "Send request",
  pending: (when: string) => `Your unban request from ${when} is waiting for a moderator.`,
  denied: "Your unban request was denied.",
  retryFrom: (when: string) => `You can send another one from ${when}.`,
  note: "Moderator's note",
  off: "This channel doesn't take unban requests.",
};
