import type { Ingest } from "../../actors/ingest/ingest.ts";
import type { IngestNetworks } from "../../actors/ingest/networks.ts";
import type { Media } from "../../actors/playback/media.ts";
import type { Playback } from "../../actors/playback/playback.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Operations } from "../http/bind.ts";

export type PlaybackRouteDeps = {
  playback: Playback;
  ingest: Pick<Ingest, "config">;
  media: Pick<Media, "report">;
  networks: IngestNetworks;
};

export function playbackRoutes(
  { bind }: Operations,
  { playback, ingest, media, networks }: PlaybackRouteDeps,
): void {
  /** Beside the system key: keys are shown to the platform's own machines alone. */
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
    // The signature was over it.
    await media.report(String(headers["webhook-id"]), { ...body, data: { ...body.data } });
    return { received: true };
  });
}
