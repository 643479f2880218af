import type { Operations } from "../http/bind.ts";
import { mapPageBatch, sliceOf } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function markerRoutes({ bind, bindPage }: Operations, { markers, videoTimes }: RouteDeps): void {
  bindPage("listMarkers", async ({ stream: { _id } }, range) => {
    const times = await markers.timesOfBroadcast(_id);
    if (!times) return sliceOf([], range);
    return mapPageBatch(markers.pageBetween(_id, times, range), (docs) => markers.viewsOf(docs, times.from));
  });

  bindPage("listVideoMarkers", async ({ video: { streamId }, video }, range) => {
    const times = await videoTimes.of(video);
    return mapPageBatch(markers.pageBetween(streamId, times, range), (docs) =>
      markers.viewsOf(docs, times.from),
    );
  });

  bind("createMarker", ({ caller, stream, body, idempotencyKey: key }) =>
    markers.add(stream._id, body?.description ?? null, { by: caller.userId, key }),
  );

  bind("deleteMarker", ({ stream, params }) => markers.remove(stream._id, params.marker_id));
}
