import type { Part } from "./clip-range.ts";

/** A recording of the channel's current or last broadcast, and the second that it shows. */
export type CutRecording = { videoId: string; startedAt: string; seconds: number; position: number };

/** What a clip is cut from: what is live, or a recording of it. */
export type CutSource = {
  streamId: string;
  username: string;
  /** What the clip is called, until its maker calls it something else. */
  title: string;
  recording: CutRecording | null;
};

/**
 * What there is to see of a broadcast: `zero` is the second of the broadcast at the beginning of the preview, `shown` what it has. Null where
 * nothing can be shown.
 */
export type Footage = { zero: number; shown: Part } | null;

/** Shows footage in a video element. Returns what ends it. */
export type ShowFootage = (video: HTMLVideoElement, found: (footage: Footage) => void) => () => void;
