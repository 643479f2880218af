import type { ErrorCode } from "@livecore/client";

const seconds = (count: number): string => (count === 1 ? "1 second" : `${count} seconds`);

/** Every text that these pages show, in one place for whoever translates them. */
export const TEXTS = {
  connecting: "Connecting …",
  reconnecting: "The connection was lost. Connecting again …",
  gone: "This channel isn't here any more.",
  chat: {
    label: (channel: string) => `Chat of ${channel}`,
    empty: "Nobody has said anything yet.",
    disabled: "Chat is off",
    slow: (every: number) => `Slow: ${seconds(every)}`,
    emoteOnly: "Emotes only",
    followersOnly: (minutes: number) =>
      minutes === 0 ? "Followers only" : `Followers only, for ${minutes} minutes and more`,
    unique: "Unique messages only",
    shield: "Shield mode",
    newOnes: (count: number) => (count === 1 ? "1 new message" : `${count} new messages`),
    replyTo: (name: string) => `Reply to ${name}`,
    votes: (count: number) => (count === 1 ? "1 vote" : `${count} votes`),
    pollEnded: "Poll ended",
    poll: "Poll",
    subscribed: (name: string, tier: number) => `${name} subscribed (tier ${tier}).`,
    gifted: (giver: string, name: string) => `${giver} gave ${name} a subscription.`,
    somebody: "Somebody",
    tipped: (name: string, amount: string) => `${name} tipped ${amount}.`,
    raided: (name: string, viewers: number) => `${name} raids with ${viewers} viewers.`,
    cleared: "The chat was cleared.",
  },
  player: {
    label: (channel: string) => `Live stream of ${channel}`,
    offline: (channel: string) => `${channel} is offline`,
    offlineHint: "The player starts by itself when the next broadcast begins.",
    starting: "The broadcast is starting …",
    failed: "The picture can't be shown right now. Trying again …",
    unsupported: "This browser can't play live video.",
    play: "Play",
    pause: "Pause",
    mute: "Mute",
    unmute: "Unmute",
    volume: "Volume",
    quality: "Quality",
    automatic: "Automatic",
    fullscreen: "Full screen",
    live: "LIVE",
    viewers: (count: number) => (count === 1 ? "1 viewer" : `${count.toLocaleString("en")} viewers`),
  },
} as const;

/** What a refusal means for whoever reads it. */
export const REFUSALS: Partial<Record<ErrorCode, string>> = {
  not_found: TEXTS.gone,
};
