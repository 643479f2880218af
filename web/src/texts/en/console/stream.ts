import { counted } from "../counted.ts";

const points = (count: number): string => counted(count, "point", "points");
const viewers = (count: number): string => counted(count, "viewer", "viewers");

const broadcast = {
  title: "Status",
  states: {
    offline: "Waiting for your encoder",
    starting: "Receiving",
    live: "Live",
    interrupted: "Reconnecting",
  },
  hints: {
    offline: "Start streaming in your encoder. This page notices by itself.",
    starting: "Your encoder is connected. You go live in a few seconds.",
    interrupted: "Viewers still see you as live. Start your encoder again to go on.",
  },
  endsIn: "Ends in",
  steps: {
    describe: "Choose a title and a category",
    connect: "Connect your encoder",
    live: "Go live",
    done: "Done",
  },
  end: "End stream",
  endTitle: "End your stream?",
  endHint:
    "Your channel goes offline at once. Stop your encoder first: one that connects again starts a new stream.",
  ended: "Your stream has ended.",
};

const encoder = {
  title: "Encoder",
  show: "Server and stream key",
  server: "Server",
  copyServer: "Copy server",
  key: "Stream key",
  hiddenKey: "••••••••••••••••",
  showKey: "Show stream key",
  hideKey: "Hide stream key",
  copyKey: "Copy stream key",
  keyHint: "Anyone who has your stream key can stream to your channel. Never show it on stream.",
  rotate: "Replace",
  rotateTitle: "Replace your stream key?",
  rotateHint: "The old key stops working at once. Copy the new one into your encoder.",
  rotateHintLive:
    "The old key stops working at once, and your stream ends. Copy the new one into your encoder.",
  rotateGo: "Replace stream key",
  rotated: "You have a new stream key.",
  obs: "Settings for OBS",
  obsSettings: [
    "Settings, Stream: choose the service “Custom”, then paste server and stream key.",
    "Video: H.264 at a constant bitrate (CBR).",
    "Bitrate: 6,000 kbit/s for 1080p at 60 frames, 4,500 for 720p at 60, 2,500 for 720p at 30.",
    "Keyframe interval: 2 seconds.",
    "Audio: AAC at 160 kbit/s, 48 kHz.",
  ],
};

const information = {
  title: "Stream information",
  name: "Title",
  category: "Category",
  categoryHint: "Type to search.",
  tags: "Tags",
  tagsHint: (count: number, most: number) => `${count} of ${most}. Press Enter to add one.`,
  removeTag: (tag: string) => `Remove tag ${tag}`,
  language: "Language",
  noLanguage: "Not set",
  mature: "For mature audiences",
  matureHint: "Viewers are warned before they watch.",
  save: "Save changes",
  saved: "Up to date",
  elsewhere: "Your stream information was changed elsewhere.",
  takeTheirs: "Show the new version",
};

const questions = {
  add: "Add",
  remove: (what: string) => `Remove ${what}`,
  again: (title: string) => `Start again: ${title}`,
};

const prediction = {
  title: "Predictions",
  none: "Let viewers bet points on what happens next.",
  make: "New prediction",
  start: "Start prediction",
  question: "Question",
  outcomes: "Outcomes",
  outcome: (no: number) => `Outcome ${no}`,
  window: "Time to bet",
  staked: (count: number, bettors: number) => `${points(count)} from ${viewers(bettors)}`,
  lock: "Lock",
  resolve: "Resolve",
  cancel: "Cancel prediction",
  resolveTitle: "What happened?",
  resolveGo: "Pay out",
  winner: "Winning outcome",
  cancelTitle: "Cancel this prediction?",
  cancelGo: "Cancel prediction",
  keep: "Keep it",
  paysOut: (pool: number, backed: number, winners: number) => {
    if (pool === 0) return "Nobody has bet.";
    return backed === 0
      ? `Nobody chose this: ${points(pool)} go back.`
      : `Pays ${points(pool)} to ${viewers(winners)}.`;
  },
  paysBack: (pool: number) => (pool === 0 ? "Nobody has bet." : `${points(pool)} go back to viewers.`),
};

const poll = {
  title: "Polls",
  none: "Ask viewers in the chat.",
  make: "New poll",
  start: "Start poll",
  question: "Question",
  options: "Options",
  option: (no: number) => `Option ${no}`,
  window: "Time to vote",
  end: "End poll",
};

const raid = {
  title: "Raids",
  none: "Take your viewers to another live channel.",
  offline: "Once you're live, you can take your viewers to another channel.",
  make: "Raid a channel",
  go: "Start raid",
  channel: "Channel",
  channelHint: "Only live channels can be raided.",
  chooseFirst: "Choose a channel first.",
  suggestions: "Suggestions",
  noSuggestions: "No channel that you follow is live now. Search for one.",
  why: { raided: "Raided you", followed: "You follow", category: "Same category" },
  message: "Message (optional)",
  messageHint: "Shown in both chats.",
  leavesIn: "Leaving in",
  start: "Raid now",
  startIn: "You can leave early in",
  cancel: "Cancel raid",
  cancelled: (target: string) => `The raid to ${target} was cancelled.`,
};

/** Texts of the stream page of the console. */
export const streamConsole = { broadcast, encoder, information, questions, prediction, poll, raid };
