/** What creators run their channel with. */
export const creatorConsole = {
  title: "Creator console",
  signIn: "Log in to run your channel.",
  sections: {
    stream: "Stream",
    rewards: "Rewards",
    schedule: "Schedule",
    videos: "Videos and clips",
    income: "Subscribers and tips",
    emotes: "Emotes and badges",
    roles: "Moderators and VIPs",
  },
};
