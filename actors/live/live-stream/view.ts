import type { RoomEvents } from "../../../contract/wire.ts";
import type { BroadcastDoc } from "../../../store/mongo/live/broadcasts.ts";

export const streamLive = (streamId: string, liveSince: Date): RoomEvents["stream.live"] => ({
  stream_id: streamId,
  live_since: liveSince.toISOString(),
});

/** Viewer counts are those sampled while it was live. */
export const streamOffline = (
  streamId: string,
  broadcast: BroadcastDoc | null,
): RoomEvents["stream.offline"] => ({
  stream_id: streamId,
  peak_viewers: broadcast?.peakViewers ?? 0,
  average_viewers: averageViewers(broadcast),
});

/** Rounded to a whole viewer; 0 without samples. */
function averageViewers(broadcast: BroadcastDoc | null): number {
  if (!broadcast || broadcast.samples === 0) return 0;
  return Math.round(broadcast.viewerSum / broadcast.samples);
}
