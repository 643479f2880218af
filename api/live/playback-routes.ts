import type { IngestNetworks } from "../../actors/live/ingest/networks.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function playbackRoutes(
  { bind }: Operations,
  { playback, ingest, media, networks }: RouteDeps & { networks: IngestNetworks },
): void {
  /** Required in addition to the system key: keys are only shown to the platform's own machines. */
  function requireNetwork(ip: string): void {
    if (!networks.has(ip)) throw new ServiceError("forbidden");
  }

  bind("getPlayback", ({ stream, query }) => playback.sourceOf(stream, query.protocol ?? "hls"));

  bind("getEdgeConfig", ({ ip }) => {
    requireNetwork(ip);
    return playback.edgeConfig();
  });

  bind("getIngestConfig", ({ ip }) => {
    requireNetwork(ip);
    return ingest.config();
  });

  bind("mediaHook", async ({ body, headers }) => {
    // The signature covers the id header, too.
    await media.report(String(headers["webhook-id"]), { ...body, data: { ...body.data } });
    return { received: true };
  });
}
