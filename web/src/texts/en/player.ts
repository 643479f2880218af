import { counted } from "./counted.ts";

/** Texts of the player, and of what stands before it. */
export const player = {
  label: (channel: string) => `Live stream of ${channel}`,
  offline: (channel: string) => `${channel} is offline`,
  offlineHint: "The player starts automatically when the next stream begins.",
  offlineByHand: "Come back when the stream begins.",
  starting: "The stream is starting …",
  failed: "The video can't be played right now. Trying again …",
  stalled: "Waiting for the picture …",
  unsupported: "This browser can't play live video.",
  playLive: (channel: string) => `Play the live stream of ${channel}`,
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
  endTheatre: "Leave theatre mode",
  pictureInPicture: "Picture in picture",
  live: "LIVE",
  viewers: (count: number) => counted(count, "viewer", "viewers"),
};

export const mature = {
  badge: "18+",
  title: "This channel is for adults",
  hint: "The broadcaster marked it as not suitable for everyone.",
  show: "Watch anyway",
};
