import type { Schemas } from "../../../site/page-data.ts";
import { useRead } from "../../../site/read.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";

type Marker = Schemas["StreamMarker"];

/** As many as a broadcast has. */
const ALL = 100;

/** The markers of the running broadcast, or of the last one, as anybody who runs the channel makes and deletes them. */
export function useMarkers(streamId: string) {
  const read = useRead("listMarkers", { path: { stream_id: streamId }, query: { per_page: ALL } });
  const made = (marker: Marker): void =>
    read.change((before) =>
      before.items.some(({ id }) => id === marker.id)
        ? before
        : { ...before, items: [...before.items, marker] },
    );
  const removed = (id: string): void =>
    read.change((before) => ({ ...before, items: before.items.filter((one) => one.id !== id) }));
  useRoomTopic(streamId, (room) => [
    ...whenRoomMissed(room, read.again),
    room.on("stream.live", read.again),
    room.on("mod.marker", ({ data }) => made(data)),
    room.on("mod.marker_deleted", ({ data: { id } }) => removed(id)),
  ]);
  return { read, made, removed };
}
