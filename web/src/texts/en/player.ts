import { counted } from "./counted.ts";

/** Texts of the player, and of what stands before it. */
export const player = {
  label: (channel: string) => `${channel}'s live stream`,
  offline: (channel: string) => `${channel} is offline`,
  offlineHint: "The player starts automatically when the next stream begins.",
  offlineByHand: "Come back when the stream begins.",
  starting: "The stream is starting …",
  failed: "The video can't be played right now. Trying again …",
  stalled: "Buffering …",
  unsupported: "This browser can't play live video.",
  playLive: (channel: string) => `Play ${channel}'s live stream`,
  play: "Play",
  pause: "Pause",
  mute: "Mute",
  unmute: "Unmute",
  volume: "Volume",
  quality: "Quality",
  automatic: "Automatic",
  fullscreen: "Full screen",
  fullscreenWithChat: "Full screen with chat",
  clip: "Clip",
  theatre: "Theatre mode",
  endTheatre: "Exit theatre mode",
  pictureInPicture: "Picture in picture",
  live: "LIVE",
  viewers: (count: number) => counted(count, "viewer", "viewers"),
};

export const mature = {
  badge: "18+",
  title: "This channel is for mature audiences",
  hint: "The broadcaster marked it as unsuitable for some viewers.",
  show: "Watch anyway",
};
