import { useRead } from "../../site/read.ts";
import { useRoomTopic, whenRoomMissed } from "../room-topic.ts";
import { MarkersPanel } from "../stream/markers/markers-panel.tsx";

/** Moderators mark moments too, while the channel is live. */
export function LiveMarkers({ streamId }: { streamId: string }) {
  const { data, change, again } = useRead("getStream", { path: { stream_id: streamId } });
  const become = (isLive: boolean) => (): void => {
    change((stream) => ({ ...stream, is_live: isLive }));
    // A read that is under way may be older.
    again();
  };
  useRoomTopic(streamId, (room) => [
    ...whenRoomMissed(room, again),
    room.on("stream.live", become(true)),
    room.on("stream.offline", become(false)),
  ]);
  return data?.is_live ? <MarkersPanel streamId={streamId} isLive /> : null;
}
