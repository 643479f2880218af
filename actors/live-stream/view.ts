import type { BroadcastDoc } from "../../store/mongo/broadcasts.ts";

/** Data of the room event `stream.live`. */
export const streamLive = (streamId: string, liveSince: Date) => ({
  stream_id: streamId,
  live_since: liveSince.toISOString(),
});

/** Data of the room event `stream.offline`; viewers are as sampled while it was live. */
export const streamOffline = (streamId: string, broadcast: BroadcastDoc | null) => ({
  stream_id: streamId,
  peak_viewers: broadcast?.peakViewers ?? 0,
  average_viewers: averageViewers(broadcast),
});

/** Rounded to a whole viewer; 0 when nobody ever counted. */
export function averageViewers(broadcast: BroadcastDoc | null): number {
  if (!broadcast || broadcast.samples === 0) return 0;
  return Math.round(broadcast.viewerSum / broadcast.samples);
}
