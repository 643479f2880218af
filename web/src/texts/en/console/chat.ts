/** The console's page of a chat's rules, whose parts moderators have at their desk as well. */
export const consoleChat = {
  modes: "Chat modes",
  modesHint:
    "Each change applies at once. Slow mode, followers only and no repeated messages don't apply to moderators and VIPs.",
  enabled: "Chat is on",
  shield: "Shield mode",
  shieldHint:
    "For when your chat is attacked: only followers of ten minutes or more can write, slowly and without repeats, newcomers can't, and links wait for a moderator.",
  shielded:
    "While shield mode is on, slow mode, followers only and no repeated messages are at least this strict. Your own settings come back with its end.",
  emoteOnly: "Emotes only",
  unique: "No repeated messages",
  slow: "Slow mode",
  followers: "Followers only",
  off: "Off",
  slows: (wait: string) => `One message every ${wait}`,
  anyFollower: "Any follower",
  followedFor: (time: string) => `Followed for ${time}`,
  terms: "Blocked terms",
  termsHint:
    "A term matches whole words, however they are written. With * at an end it matches the rest of a word.",
  noTerms: "No terms are blocked yet.",
  term: "Term",
  isRegex: "Regular expression",
  action: "What happens",
  actions: {
    block: "Block the message",
    hold: "Let a moderator decide",
    allow: "Always allow it",
    block_links: "Block it with a link",
    verified_only: "Block unless verified",
  },
  regex: "Expression",
  add: "Add",
  test: "Try on recent messages",
  remove: "Delete",
  removeOf: (term: string) => `Delete “${term}”`,
  actionOf: (term: string) => `What happens with “${term}”`,
  full: (most: number) => `You have reached the limit of ${most}. Delete a term first.`,
  verdicts: {
    none: (lines: number) =>
      lines === 0
        ? "There are no messages to try it on."
        : `It would change none of the last ${lines} messages.`,
    some: (count: number, lines: number) =>
      `It would change ${count} of the last ${lines} ${lines === 1 ? "message" : "messages"}:`,
    already: "Blocked or held by another term already",
    block: "Blocked",
    hold: "Waits for a moderator",
    pass: "Allowed",
  },
};
