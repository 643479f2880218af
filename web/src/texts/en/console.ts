/** What creators run their channel with. */
export const creatorConsole = {
  title: "Creator console",
  signIn: "Log in to run your channel.",
  username: "Username",
  add: "Add",
  noSuchUser: "No account has this name. Check its spelling.",
  sections: {
    stream: "Stream",
    rewards: "Rewards",
    schedule: "Schedule",
    videos: "Videos and clips",
    income: "Subscribers and tips",
    emotes: "Emotes and badges",
    chat: "Chat rules",
    raids: "Raids and hosting",
    roles: "Moderators and VIPs",
    overlays: "Overlays",
    moderated: "Moderated channels",
    analytics: "Analytics",
  },
};

/** What leads to the page from which moderators run a channel's chat. */
export const moderationDesk = {
  title: "Moderation",
  openFor: (channel: string) => `Moderate ${channel}'s chat`,
  link: "Moderate",
};
