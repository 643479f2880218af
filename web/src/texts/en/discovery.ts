/** Texts of the pages on which people find what to watch. */
export const home = {
  title: "Live channels",
  featured: "Featured",
  followed: "Channels you follow",
  recommended: "Recommended",
  live: "Live now",
  categories: "Categories",
  allCategories: "All categories",
  empty: "Nobody is live right now.",
  emptyHint: "Browse the categories, or come back later.",
  firstRun: "Set up this server",
  firstRunSignUp: "Sign up with your own account.",
  firstRunCommand: "In the server's folder, run this command with your username:",
  firstRunSecure: "Turn on two-factor authentication in your settings. You are staff then.",
  firstRunOver: "This note disappears with the first staff account.",
  development: "In development",
  eveningOff: "The demo evening is a channel that stays, with a test card and chat.",
  eveningStart: "Start the demo evening",
  eveningStarting: "The demo evening is starting.",
  eveningLive: "The demo evening is live:",
  eveningFailed: "The demo evening couldn't start. The log says why.",
  mails: "Emails that the service sent",
  watch: (name: string) => `Watch ${name}`,
};

export const categories = {
  title: "Categories",
  empty: "There are no categories yet.",
  noStreams: "Nobody is live in this category.",
  sortBy: "Sort by",
  byViewers: "Viewers",
  recent: "Newest",
};

export const search = {
  title: "Search",
  results: (query: string) => `Results for “${query}”`,
  prompt: "Type the name of a channel, a category or a clip.",
  none: (query: string) => `Nothing matches “${query}”. Check the spelling, or try a shorter search.`,
  live: "Live channels",
  channels: "Channels",
  categories: "Categories",
  clips: "Clips",
  suggestions: "Suggestions",
};

export const following = {
  title: "Following",
  empty: "You don't follow anyone yet.",
  emptyHint: "Open a channel and press Follow. You will find it here.",
  signIn: "Log in to see the channels that you follow.",
};
