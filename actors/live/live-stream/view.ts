import type { RoomEvents, StreamIngest } from "../../../contract/wire.ts";
import type { IngestDoc, StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { BroadcastDoc } from "../../../store/mongo/live/broadcasts.ts";
import { BROADCAST_GRACE_MS } from "./machine.ts";

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

/** How far the stream's broadcast has come, as its owner sees it. */
export function streamIngest({
  ingest,
  isLive,
  liveSince,
}: Pick<StreamDoc, "ingest" | "isLive" | "liveSince">): StreamIngest {
  const live = liveSince?.toISOString() ?? null;
  // Of an older release.
  if (!ingest) return { status: isLive ? "live" : "offline", since: live, live_since: live, ends_at: null };
  return ingestView(ingest, liveSince);
}

export const ingestView = ({ status, at }: IngestDoc, liveSince: Date | null): StreamIngest => ({
  status,
  since: at.toISOString(),
  live_since: liveSince?.toISOString() ?? null,
  ends_at: status === "interrupted" ? new Date(at.getTime() + BROADCAST_GRACE_MS).toISOString() : null,
});

/** Rounded to a whole viewer; 0 without samples. */
function averageViewers(broadcast: BroadcastDoc | null): number {
  if (!broadcast || broadcast.samples === 0) return 0;
  return Math.round(broadcast.viewerSum / broadcast.samples);
}
